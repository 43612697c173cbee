import type { ModelPrices, ModelRecordInput } from '@gateway/model-catalog';
import type { FamilyFacts } from './families/family.ts';
import type { ModelFacts } from './fact-list.ts';

type UsualPrices = Omit<ModelPrices, 'periods'>;
type Rates = Omit<UsualPrices, 'tiers'>;
type Period = NonNullable<ModelPrices['periods']>[number];

/**
 * The times outside DeepSeek's peak hours. The peak hours are 9–12 and 14–18 Beijing time (UTC+8) from Monday
 * to Friday. Outside the peak hours, all prices are halved. Source:
 * https://api-docs.deepseek.com/zh-cn/quick_start/pricing
 */
const deepseekOffPeak: readonly Pick<Period, 'weekdays' | 'hours'>[] = [
  { weekdays: [0, 6] },
  {
    weekdays: [1, 2, 3, 4, 5],
    hours: [
      ['00:00', '01:00'],
      ['04:00', '06:00'],
      ['10:00', '24:00'],
    ],
  },
];

/**
 * Adds the prices that the model lists do not contain. Cache write prices are computed with the multipliers
 * of the model's family. The fact list adds prices that apply from a later day or at certain times of day.
 */
export function completePrices(
  listed: NonNullable<ModelRecordInput['prices']>,
  provider: string,
  fact: ModelFacts | undefined,
  family: FamilyFacts | undefined,
): ModelPrices {
  const { tiers, ...rates } = listed;
  const complete: UsualPrices = {
    ...addWrites(rates, family),
    ...(tiers && { tiers: tiers.map((tier) => addWrites(tier, family)) }),
  };
  const base = isOffPeak(fact) ? scale(complete, 2) : complete;
  const listHours = (usual: UsualPrices): Period[] =>
    provider === 'deepseek' ? deepseekOffPeak.map((when) => ({ ...scale(usual, 0.5), ...when })) : [];
  const dated = listDatedPeriods(base, fact).flatMap(({ from, ...changed }) =>
    [changed, ...listHours(changed)].map((period) => ({ ...period, from })),
  );
  const periods = [...listHours(base), ...dated];
  return periods.length === 0 ? base : { ...base, periods };
}

function addWrites<Own extends Rates>(rates: Own, family: FamilyFacts | undefined): Own {
  const { input } = rates;
  return {
    ...rates,
    ...(family?.write !== undefined && rates.cacheWrite === undefined
      ? { cacheWrite: round(input * family.write) }
      : {}),
    ...(family?.write1h !== undefined && rates.cacheWrite1h === undefined
      ? { cacheWrite1h: round(input * family.write1h) }
      : {}),
  };
}

/**
 * Returns true if, according to a note in the fact list, the listed prices of a model are off-peak prices. The
 * price that applies outside all listed periods is the peak price.
 */
function isOffPeak(fact: ModelFacts | undefined): boolean {
  return fact?.notes?.some((note) => note.endsWith('the figures here are off-peak')) ?? false;
}

/**
 * Returns the prices that the provider has announced. A price that the announcement omits changes in
 * proportion to the input price.
 */
function listDatedPeriods(
  base: UsualPrices,
  fact: ModelFacts | undefined,
): (UsualPrices & { readonly from: string })[] {
  const changes = (fact?.price_changes ?? []).flatMap(({ from, ...rates }) =>
    from === null ? [] : [{ from, ...rates }],
  );
  return changes
    .toSorted((a, b) => (a.from < b.from ? -1 : 1))
    .map(({ from, input, output, cache_read }) => ({
      ...scale(base, input / base.input),
      input,
      output,
      ...(cache_read !== undefined && { cacheRead: cache_read }),
      from,
    }));
}

function scale({ tiers, ...rates }: UsualPrices, by: number): UsualPrices {
  return {
    ...scaleRates(rates, by),
    ...(tiers && {
      tiers: tiers.map(({ aboveInputTokens, ...own }) => ({ aboveInputTokens, ...scaleRates(own, by) })),
    }),
  };
}

function scaleRates(rates: Rates, by: number): Rates {
  const scaled = Object.entries(rates).flatMap(([field, usd]) =>
    usd === undefined ? [] : [[field, round(usd * by)] as const],
  );
  return { ...rates, ...Object.fromEntries(scaled) };
}

/**
 * Removes the rounding error of binary fractions. For example, 0.1 × 2 becomes 0.2, not 0.20000000000000001.
 */
function round(usd: number): number {
  return Number(usd.toPrecision(10));
}
