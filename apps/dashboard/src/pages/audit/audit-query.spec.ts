import { parseAuditQuery } from './audit-query.ts';

it('parses valid filters in the address and ignores invalid filters', () => {
  const parse = (query: string) => parseAuditQuery(new URLSearchParams(query));
  expect(parse('')).toEqual({});
  expect(parse('action=key.created&actor=ada%40example.com')).toEqual({
    action: 'key.created',
    actor: 'ada@example.com',
  });
  expect(parse('action=key.stolen&since=never&until=2026-11-20T00:00:00.000Z')).toEqual({
    until: '2026-11-20T00:00:00.000Z',
  });
});
