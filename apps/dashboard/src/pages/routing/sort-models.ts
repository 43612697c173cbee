/** The fields by which models can be sorted. */
interface Sortable {
  readonly id: string;
  readonly context_window: number | null;
  readonly input_cost_usd_per_mtok: number | null;
  readonly output_cost_usd_per_mtok: number | null;
  readonly cache_read_cost_usd_per_mtok: number | null;
  readonly requests: number | null;
  readonly first_token_p50_ms: number | null;
  readonly first_token_p95_ms: number | null;
  readonly total_p50_ms: number | null;
  readonly error_rate: number | null;
  readonly tool_recall: number | null;
}

const readers: Readonly<Record<string, (model: Sortable) => number | null>> = {
  context: (model) => model.context_window,
  input: (model) => model.input_cost_usd_per_mtok,
  output: (model) => model.output_cost_usd_per_mtok,
  cached: (model) => model.cache_read_cost_usd_per_mtok,
  requests: (model) => model.requests,
  first: (model) => model.first_token_p50_ms,
  first95: (model) => model.first_token_p95_ms,
  total: (model) => model.total_p50_ms,
  errors: (model) => model.error_rate,
  recall: (model) => model.tool_recall,
};

interface ModelSorting {
  readonly key: string;
  readonly isDescending: boolean;
}

/**
 * Filters models by a part of the name, and sorts the models by a column and then by name. If the sort field of a
 * model is unknown, the model comes last.
 */
export function sortModels<Model extends Sortable>(
  models: readonly Model[],
  search: string,
  { key, isDescending }: ModelSorting,
): Model[] {
  const wanted = search.trim().toLowerCase();
  const sign = isDescending ? -1 : 1;
  const read = readers[key];
  const byName = (one: Model, other: Model) => (one.id < other.id ? -1 : 1);
  return models
    .filter(({ id }) => id.toLowerCase().includes(wanted))
    .sort((one, other) => {
      if (read === undefined) return sign * byName(one, other);
      const [value, beside] = [read(one), read(other)];
      if (value === beside) return byName(one, other);
      if (value === null || beside === null) return value === null ? 1 : -1;
      return sign * (value - beside);
    });
}
