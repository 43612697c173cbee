import { changeParam, parseOverviewQuery } from './overview-query.ts';

it('reads range and filter from the address, and knows what it does not know', () => {
  const read = (query: string) => parseOverviewQuery(new URLSearchParams(query));
  expect(read('')).toEqual({ days: 7, filter: {} });
  expect(read('days=30&model=a%2Fb&session_id=')).toEqual({ days: 30, filter: { model: 'a/b' } });
  expect(read('days=8')).toEqual({ days: 7, filter: {} });
});

it('changes one part of the address alone', () => {
  const params = new URLSearchParams('days=30&model=m');
  expect(changeParam(params, 'model', null).toString()).toBe('days=30');
  expect(changeParam(params, 'key_id', 'k').toString()).toBe('days=30&model=m&key_id=k');
});
