import type { CatalogModel } from '@gateway/model-catalog';

/**
 * The minimum length in tokens of a prefix that providers cache. The minimum applies if the catalogue states
 * no minimum.
 */
const cachedTokensMin = 1024;

/** One model call with the token counts of the provider. */
export interface BilledCall {
  /** The number of tokens in the input prefix that an earlier call of the session also sent. */
  readonly sharedTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Returns the cost of a session for a model. The unit is one token at the model's regular input price. Model
 * calls are assumed to follow each other within the cache's lifetime.
 */
export function billSession({ prices, cache }: CatalogModel, calls: readonly BilledCall[]): number {
  if (prices === null || prices.input === 0) return 0;
  const isCached = cache !== null && cache.kind !== 'none' && cache.readMultiplier !== null;
  const minTokens = cache?.minTokens ?? cachedTokensMin;
  const read = cache?.readMultiplier ?? 1;
  const write = isCached ? (cache.writeMultiplier ?? 1) : 1;
  let cost = 0;
  for (const { sharedTokens, inputTokens, outputTokens } of calls) {
    const cached = isCached && sharedTokens >= minTokens ? sharedTokens : 0;
    const isWritten = isCached && inputTokens >= minTokens;
    cost += cached * read + (inputTokens - cached) * (isWritten ? write : 1);
    cost += outputTokens * (prices.output / prices.input);
  }
  return cost;
}

/**
 * Tracks the model calls in a session and the prompt prefixes that the calls share. A prompt has tools first,
 * then instructions, then messages. A provider caches every received prefix. The common prefix of two prompts
 * ends at the first different tool. Messages are only ever appended.
 */
export class SharedPrefixes {
  readonly calls: BilledCall[] = [];
  readonly #sent: { readonly tools: readonly number[]; tail: number }[] = [];

  /**
   * Adds a model call.
   * @param tools the sent tools in order, as numbers. Equal numbers are equal definitions.
   * @param toolTokens the tokens of each tool
   * @param tailTokens the tokens of the instructions and messages after the tools
   */
  add(
    tools: readonly number[],
    toolTokens: (position: number) => number,
    tailTokens: number,
    outputTokens: number,
  ): void {
    const all = tools.reduce((sum, position) => sum + toolTokens(position), 0);
    let sharedTokens = 0;
    let same: { tail: number } | undefined;
    for (const sent of this.#sent) {
      const length = commonLength(sent.tools, tools);
      const isSame = length === tools.length && length === sent.tools.length;
      if (isSame) same = sent;
      const shared = isSame
        ? all + Math.min(sent.tail, tailTokens)
        : tools.slice(0, length).reduce((sum, position) => sum + toolTokens(position), 0);
      sharedTokens = Math.max(sharedTokens, shared);
    }
    if (same === undefined) this.#sent.push({ tools, tail: tailTokens });
    else same.tail = Math.max(same.tail, tailTokens);
    this.calls.push({ sharedTokens, inputTokens: all + tailTokens, outputTokens });
  }
}

function commonLength(one: readonly number[], other: readonly number[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}
