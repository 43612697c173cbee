import { z } from 'zod';

/**
 * The format of data.json from pydantic/genai-prices. This file reads only the fields that are needed to
 * compare prices.
 */
interface Match {
  equals?: string | undefined;
  starts_with?: string | undefined;
  ends_with?: string | undefined;
  contains?: string | undefined;
  regex?: string | undefined;
  or?: Match[] | undefined;
  and?: Match[] | undefined;
}

const match: z.ZodType<Match> = z.lazy(() =>
  z.object({
    equals: z.string().optional(),
    starts_with: z.string().optional(),
    ends_with: z.string().optional(),
    contains: z.string().optional(),
    regex: z.string().optional(),
    or: z.array(match).optional(),
    and: z.array(match).optional(),
  }),
);

const price = z.union([z.number(), z.object({ base: z.number() })]).optional();
const priceSet = z.looseObject({
  input_mtok: price,
  output_mtok: price,
  cache_read_mtok: price,
  cache_write_mtok: price,
});
const dated = z.object({
  constraint: z.object({ start_date: z.string().optional() }).optional(),
  prices: priceSet,
});

const list = z.array(
  z.looseObject({
    id: z.string(),
    models: z.array(z.looseObject({ match, prices: z.union([z.array(dated), priceSet]) })),
  }),
);

/** Base prices of a model in USD per million tokens. Prices that the list does not contain are omitted. */
export type SecondPrices = Partial<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;

export interface GenaiPrices {
  pricesOf(provider: string, modelId: string, onDate: string): SecondPrices | undefined;
}

/** @throws ZodError */
export function parseGenaiPrices(content: unknown): GenaiPrices {
  const providers = new Map(list.parse(content).map((provider) => [provider.id, provider.models]));
  return {
    pricesOf: (provider, modelId, onDate) => {
      const found = providers.get(provider)?.find((model) => fits(modelId.toLowerCase(), model.match));
      return found && mapPrices(choosePriceSet(found.prices, onDate));
    },
  };
}

function fits(id: string, by: Match): boolean {
  if (by.or) return by.or.some((each) => fits(id, each));
  if (by.and) return by.and.every((each) => fits(id, each));
  if (by.equals !== undefined) return id === by.equals.toLowerCase();
  if (by.starts_with !== undefined) return id.startsWith(by.starts_with.toLowerCase());
  if (by.ends_with !== undefined) return id.endsWith(by.ends_with.toLowerCase());
  if (by.contains !== undefined) return id.includes(by.contains.toLowerCase());
  return by.regex !== undefined && new RegExp(by.regex).test(id);
}

/**
 * Chooses the last price set that is valid on the date. A price set for certain hours of the day has no
 * `start_date` and is ignored. A price set without a constraint is the default price set.
 */
function choosePriceSet(
  prices: z.infer<typeof priceSet> | z.infer<typeof dated>[],
  onDate: string,
): z.infer<typeof priceSet> {
  if (!Array.isArray(prices)) return prices;
  const inForce = prices.filter(({ constraint }) => {
    if (constraint === undefined) return true;
    return constraint.start_date !== undefined && constraint.start_date <= onDate;
  });
  return inForce.at(-1)?.prices ?? {};
}

function mapPrices(set: z.infer<typeof priceSet>): SecondPrices {
  const fields = {
    input: set.input_mtok,
    output: set.output_mtok,
    cacheRead: set.cache_read_mtok,
    cacheWrite: set.cache_write_mtok,
  };
  const mapped: SecondPrices = {};
  for (const [field, value] of Object.entries(fields) as [keyof SecondPrices, z.infer<typeof price>][]) {
    if (value !== undefined) mapped[field] = typeof value === 'number' ? value : value.base;
  }
  return mapped;
}
