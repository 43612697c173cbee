import type { ModelRecordInput } from '@gateway/model-catalog';
import type { SecondPrices } from './genai-prices.ts';
import type { ModelFacts } from './fact-list.ts';
import { explainDispute } from './reasons.ts';

type Dispute = NonNullable<ModelRecordInput['disputes']>[number];

/**
 * The largest relative difference between two prices that are treated as equal. The model lists round prices
 * by up to half a percent.
 */
const sameWithin = 0.005;

/**
 * Returns the prices of a second list that differ from the catalogue's prices, each with the reason why the
 * catalogue keeps its own price.
 */
export function comparePrices(
  { provider, modelId, prices }: Pick<ModelRecordInput, 'provider' | 'modelId' | 'prices'>,
  second: SecondPrices,
): Dispute[] {
  if (prices === null) return [];
  return (Object.entries(second) as [keyof SecondPrices, number][]).flatMap(([field, other]) => {
    const own = prices[field];
    if (own === undefined || Math.abs(own - other) <= sameWithin * Math.max(own, other)) return [];
    return [explain(provider, modelId, { field, other, source: 'genai-prices' })];
  });
}

/**
 * Returns the conflicts between sources that the fact list records, except conflicts with genai-prices. A
 * separate check compares prices with genai-prices.
 */
export function listFactDisputes(provider: string, modelId: string, fact: ModelFacts | undefined): Dispute[] {
  return (fact?.conflicts ?? []).flatMap(({ field, ...others }) => {
    const own = Object.entries(others).filter(([source]) => !source.startsWith('genai_prices'));
    if (own.length === 0) return [];
    const other = own.map(([source, value]) => `${source}: ${renderValue(value)}`).join('; ');
    return [explain(provider, modelId, { field, other, source: 'facts' })];
  });
}

function renderValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function explain(provider: string, modelId: string, dispute: Omit<Dispute, 'reason'>): Dispute {
  const reason = explainDispute(provider, modelId, dispute);
  return reason === undefined ? dispute : { ...dispute, reason };
}
