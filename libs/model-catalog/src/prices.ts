import { z } from 'zod';

const usdPerMillionTokens = z.number().nonnegative();
const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const rates = z.strictObject({
  input: usdPerMillionTokens,
  output: usdPerMillionTokens,
  /** Price for input tokens read from the prompt cache. If the price is absent, the input price applies. */
  cacheRead: usdPerMillionTokens.optional(),
  /** Price for input tokens written to the prompt cache with the provider's shortest cache lifetime. */
  cacheWrite: usdPerMillionTokens.optional(),
  /** Price for input tokens written to the prompt cache for one hour. */
  cacheWrite1h: usdPerMillionTokens.optional(),
  /** Price for input tokens written to the prompt cache for 12 hours. */
  cacheWrite12h: usdPerMillionTokens.optional(),
  /** Price for output tokens spent on reasoning, if the price differs from the price of other output. */
  reasoning: usdPerMillionTokens.optional(),
});

/**
 * Prices for long requests. If the input exceeds a tier's bound, the tier's prices apply to the whole
 * request. Tiers are sorted by bound, ascending.
 */
const tiers = z.array(rates.extend({ aboveInputTokens: z.int().positive() })).optional();

/**
 * A period with different prices. The conditions of a period are a first day, an end day, weekdays and hours.
 * A period applies only if all of its conditions are met. Days and hours are in UTC, because prices must not
 * depend on the location of the gateway.
 */
const period = rates.extend({
  tiers,
  /** The first day on which the prices apply, from 00:00. */
  from: day.optional(),
  /** The first day on which the prices no longer apply. */
  until: day.optional(),
  /** Days of the week on which the prices apply. Sunday is day 0. */
  weekdays: z.array(z.int().min(0).max(6)).min(1).optional(),
  /** Start (inclusive) and end (exclusive) of each span of hours. */
  hours: z
    .array(z.tuple([clockTime, clockTime]).refine(([start, end]) => start < end))
    .min(1)
    .optional(),
});

/** Prices in USD per million tokens. */
export const modelPrices = rates.extend({
  tiers,
  /** Different prices at certain times. If some periods overlap, the last period applies. */
  periods: z.array(period).optional(),
});

export type ModelRates = z.infer<typeof rates>;
export type ModelPrices = z.infer<typeof modelPrices>;
type Period = z.infer<typeof period>;

/**
 * Returns the prices that apply at a given time.
 * @param at the time of the request, as Unix time in milliseconds
 */
export function pricesAt(prices: ModelPrices, at: number): ModelPrices {
  if (prices.periods === undefined) return prices;
  return prices.periods.findLast((each) => contains(each, new Date(at))) ?? prices;
}

/**
 * Returns the prices at the time of a request, for the highest tier with a bound below the input.
 * @param at the time of the request, as Unix time in milliseconds
 */
export function chooseRates(prices: ModelPrices, inputTokens: number, at: number): ModelRates {
  const inForce = pricesAt(prices, at);
  return inForce.tiers?.findLast((tier) => inputTokens > tier.aboveInputTokens) ?? inForce;
}

function contains({ from, until, weekdays, hours }: Period, at: Date): boolean {
  const time = at.toISOString();
  const [date, clock] = [time.slice(0, 10), time.slice(11, 16)];
  return (
    (from === undefined || from <= date) &&
    (until === undefined || date < until) &&
    (weekdays?.includes(at.getUTCDay()) ?? true) &&
    (hours?.some(([start, end]) => start <= clock && clock < end) ?? true)
  );
}
