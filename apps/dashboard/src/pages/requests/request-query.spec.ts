import { parseRequestOrder, parseRequestQuery } from './request-query.ts';

it('parses valid filters in the address and ignores invalid filters', () => {
  const parse = (query: string) => parseRequestQuery(new URLSearchParams(query));
  expect(parse('')).toEqual({});
  expect(parse('status=error&model=a%2Fb&session_id=%3Cb%3E')).toEqual({
    status: 'error',
    model: 'a/b',
    session_id: '<b>',
  });
  expect(parse('status=odd&key_id=1&from=never&to=2026-11-20T00:00:00.000Z')).toEqual({
    to: '2026-11-20T00:00:00.000Z',
  });
});

it('parses the order in the address, which is the newest request first by default', () => {
  const parse = (query: string) => parseRequestOrder(new URLSearchParams(query));
  expect(parse('')).toEqual({ sort: 'created_at', order: 'desc' });
  expect(parse('sort=cost_usd&order=asc')).toEqual({ sort: 'cost_usd', order: 'asc' });
  expect(parse('sort=key&order=up')).toEqual({ sort: 'created_at', order: 'desc' });
});
