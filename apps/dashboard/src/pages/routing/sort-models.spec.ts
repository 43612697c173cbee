import { sortModels } from './sort-models.ts';

const model = (id: string, input: number | null) => ({
  id,
  context_window: null,
  input_cost_usd_per_mtok: input,
  output_cost_usd_per_mtok: null,
  cache_read_cost_usd_per_mtok: null,
  requests: 0,
  first_token_p50_ms: null,
  first_token_p95_ms: null,
  total_p50_ms: null,
  error_rate: null,
  tool_recall: null,
});
const models = [model('b/x', 3), model('a/y', null), model('a/x', 3), model('c/z', 1)];
const names = (key: string, isDescending: boolean, search = '') =>
  sortModels(models, search, { key, isDescending }).map(({ id }) => id);

it('sorts models by any column, then by name, with unknown values last', () => {
  expect(names('input', false)).toEqual(['c/z', 'a/x', 'b/x', 'a/y']);
  expect(names('input', true)).toEqual(['a/x', 'b/x', 'c/z', 'a/y']);
  expect(names('id', true)).toEqual(['c/z', 'b/x', 'a/y', 'a/x']);
  expect(names('id', false, 'A/')).toEqual(['a/x', 'a/y']);
});
