import { changeParam, clearParams } from './addresses.ts';

it('changes one query parameter and keeps the other query parameters', () => {
  const params = new URLSearchParams('days=30&model=m');
  expect(changeParam(params, 'model', null).toString()).toBe('days=30');
  expect(changeParam(params, 'key_id', 'k').toString()).toBe('days=30&model=m&key_id=k');
});

it('removes query parameters and keeps the other query parameters', () => {
  const params = new URLSearchParams('days=30&model=m&key_id=k');
  expect(clearParams(params, ['model', 'key_id', 'status']).toString()).toBe('days=30');
});
