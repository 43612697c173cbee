import { costUsd, type CatalogModel } from '@gateway/model-catalog';
import type { Needs } from './question.ts';

/** What an answer is taken to have where nothing bounds it: about the mean of agents' turns. */
const outputTokensExpected = 400;

/**
 * What the request is expected to cost at a model, in USD; null where its prices are not known.
 *
 * @param cachedTokens of the input, those that the provider has in its cache.
 */
export function expectCostUsd(model: CatalogModel, needs: Needs, cachedTokens: number): number | null {
  const outputTokens = Math.min(needs.outputTokensMax ?? outputTokensExpected, outputTokensExpected);
  const isCached = model.cache !== null && model.cache.kind !== 'none';
  const cached = isCached ? Math.min(cachedTokens, needs.inputTokens) : 0;
  const writes = isCached && (needs.marksCache || model.cache.kind === 'automatic');
  return costUsd(model, {
    inputTokens: needs.inputTokens,
    outputTokens,
    cachedInputTokens: cached,
    ...(writes ? { cacheWriteTokens: needs.inputTokens - cached } : {}),
  });
}
