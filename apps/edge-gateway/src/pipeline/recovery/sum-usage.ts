import type { TokenUsage } from '@gateway/interchange';

/** What all rounds cost together: for the log and the bill. Undefined where none told. */
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
 * What the client is told: the last round's input, which agents read as how full the context is, and the output of all
 * rounds. What the last round says it charges for is left out, since it is of that round alone.
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
