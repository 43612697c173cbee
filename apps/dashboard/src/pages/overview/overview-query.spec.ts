import { parseOverviewQuery } from './overview-query.ts';

it('parses the time range and the filters in the address and ignores unknown values', () => {
  const read = (query: string) => parseOverviewQuery(new URLSearchParams(query));
  expect(read('')).toEqual({ days: 7, filter: {} });
  expect(read('days=30&model=a%2Fb&session_id=')).toEqual({ days: 30, filter: { model: 'a/b' } });
  expect(read('days=8')).toEqual({ days: 7, filter: {} });
});
