import type { TokenUsage } from '@gateway/interchange';

/**
 * Adds up the usage of all recovery rounds for the log and for billing. Returns undefined if no recovery
 * round reported usage.
 */
export function sumUsage(usages: readonly TokenUsage[]): TokenUsage | undefined {
  const [first, ...others] = usages;
  if (first === undefined) return undefined;
  return others.reduce((sum, usage) => {
    const added: Record<string, number> = { ...sum };
    for (const [name, count] of Object.entries(usage) as [string, number | undefined][])
      if (count !== undefined) added[name] = (added[name] ?? 0) + count;
    return added as unknown as TokenUsage;
  }, first);
}

/**
 * Returns the usage that the client receives, which consists of the input of the last round and the output of
 * all rounds. Agents interpret the input tokens as the context size. The returned usage contains no charges,
 * because providers report charges only for single rounds.
 */
export function showUsage(usages: readonly TokenUsage[]): TokenUsage | undefined {
  const last = usages.at(-1);
  const sum = sumUsage(usages);
  if (last === undefined || sum === undefined) return undefined;
  const { inputTokens, cachedInputTokens, cacheWriteTokens } = last;
  const { outputTokens, reasoningTokens } = sum;
  return {
    inputTokens,
    outputTokens,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
}
