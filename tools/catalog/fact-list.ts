import { z } from 'zod';

const usd = z.number().nonnegative().nullable();
const tokens = z.int().positive().nullable();
const known = z.boolean().nullable();
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const factPrices = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cache_read: usd,
  cache_write: usd.optional(),
  cache_write_5m: usd.optional(),
  cache_write_1h: usd.optional(),
  tiers: z
    .array(
      z.strictObject({
        above_input_tokens: z.int().positive(),
        input: z.number(),
        output: z.number(),
        cache_read: usd,
        cache_write: usd,
      }),
    )
    .optional(),
});

/** Changed prices, and the day from which they apply. `from` is null if the day is unknown. */
const priceChange = z.strictObject({
  from: day.nullable(),
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cache_read: z.number().nonnegative().optional(),
  note: z.string().optional(),
});

/**
 * A line of `lists/facts.jsonl`, with the facts that dated pages and packages state about a chat model. A fact
 * without a source is null. `sources` names the pages and packages.
 */
const fact = z.strictObject({
  provider: z.string(),
  /** The provider's key in the list models.dev. */
  list_key: z.string(),
  model: z.string(),
  name: z.string().nullable(),
  aliases: z.array(z.string()).optional(),
  release_date: z.string().nullable(),
  context: tokens,
  max_input: tokens,
  max_output: tokens,
  prices: factPrices.nullable(),
  price_changes: z.array(priceChange).optional(),
  apis: z.array(z.string()).nullable(),
  tools: known,
  tools_on_chat_completions: z.string().nullable(),
  thinks: known,
  thinks_by_default: known,
  thinking_can_be_off: z.union([z.boolean(), z.literal('down to between_tools')]).nullable(),
  binds_thinking_to_prefix: known,
  native_tool_deferral: z.string().nullable(),
  min_cacheable_tokens: tokens,
  deprecated: known,
  retires: day.nullable(),
  retires_not_before: day.nullable(),
  in_list_of_2026_11_10: known.optional(),
  notes: z.array(z.string()).optional(),
  conflicts: z.array(z.looseObject({ field: z.string() })).optional(),
  sources: z.array(z.string()).min(1),
});

export type ModelFacts = z.infer<typeof fact>;

export interface FactList {
  /** Returns the facts about the model with the given id and the given provider key in models.dev. */
  find(listKey: string, modelId: string): ModelFacts | undefined;
  modelsOf(listKey: string): readonly ModelFacts[];
  readonly all: readonly ModelFacts[];
}

/**
 * Parses a fact list that has one JSON object per line.
 * @throws ZodError with the name of the field, or Error if a model is listed twice
 */
export function parseFactList(text: string): FactList {
  const byModel = new Map<string, ModelFacts>();
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const parsed = fact.parse(JSON.parse(line));
    const key = `${parsed.list_key}/${parsed.model}`;
    if (byModel.has(key)) throw new Error(`${key} is listed twice`);
    byModel.set(key, parsed);
  }
  const byList = Map.groupBy(byModel.values(), ({ list_key }) => list_key);
  return {
    all: [...byModel.values()],
    find: (listKey, modelId) => byModel.get(`${listKey}/${modelId}`),
    modelsOf: (listKey) => byList.get(listKey) ?? [],
  };
}
