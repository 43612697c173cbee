import type { CatalogModel } from '@gateway/model-catalog';

/** The minimum prefix length in tokens that providers cache, for models without a minimum in the catalogue. */
const cachedTokensMin = 1024;

/** One model call with the provider's token counts. */
export interface BilledCall {
  /** The number of input prefix tokens that an earlier call of the session also sent. */
  readonly sharedTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The token count of the tool definitions, which come first in the prompt. */
  readonly toolTokens: number;
  /** The token count of the instructions, which follow the tools. */
  readonly systemTokens: number;
  /** True for a call that exists only because the model searches for a deferred tool. */
  readonly isSearch: boolean;
}

/** The parts of a bill, in tokens at the model's regular input price. */
export interface Bill {
  readonly tools: number;
  readonly instructions: number;
  readonly messages: number;
  readonly output: number;
  /** The input and output of calls in which the model only searches for deferred tools. */
  readonly searches: number;
}

/**
 * Returns a session's cost for a model. Costs are in units of one token at the model's regular input price.
 * Model calls are assumed to follow each other within the cache's lifetime.
 */
export function billSession(model: CatalogModel, calls: readonly BilledCall[]): number {
  const { tools, instructions, messages, output, searches } = splitBill(model, calls);
  return tools + instructions + messages + output + searches;
}

/** Returns a session's cost by part of the prompt, in the same unit as `billSession`. */
export function splitBill({ prices, cache }: CatalogModel, calls: readonly BilledCall[]): Bill {
  const bill = { tools: 0, instructions: 0, messages: 0, output: 0, searches: 0 };
  if (prices === null || prices.input === 0) return bill;
  const isCached = cache !== null && cache.kind !== 'none' && cache.readMultiplier !== null;
  const minTokens = cache?.minTokens ?? cachedTokensMin;
  const read = cache?.readMultiplier ?? 1;
  const write = isCached ? (cache.writeMultiplier ?? 1) : 1;
  for (const { sharedTokens, inputTokens, outputTokens, toolTokens, systemTokens, isSearch } of calls) {
    const cached = isCached && sharedTokens >= minTokens ? sharedTokens : 0;
    const fresh = isCached && inputTokens >= minTokens ? write : 1;
    const priceOf = (start: number, end: number): number => {
      const reads = Math.max(0, Math.min(end, cached) - start);
      return reads * read + (end - start - reads) * fresh;
    };
    const instructed = toolTokens + systemTokens;
    const parts = {
      tools: priceOf(0, toolTokens),
      instructions: priceOf(toolTokens, instructed),
      messages: priceOf(instructed, inputTokens),
      output: outputTokens * (prices.output / prices.input),
    };
    if (isSearch) bill.searches += parts.tools + parts.instructions + parts.messages + parts.output;
    else
      for (const part of ['tools', 'instructions', 'messages', 'output'] as const) bill[part] += parts[part];
  }
  return bill;
}

/**
 * Tracks the model calls in a session and the prompt prefixes that the calls share. A prompt consists of tools,
 * then instructions, then messages. A provider caches every received prefix. The common prefix of two prompts
 * ends at the first tool that differs. Messages are only appended.
 */
export class SharedPrefixes {
  readonly calls: BilledCall[] = [];
  readonly #systemTokens: number;
  readonly #sent: { readonly tools: readonly number[]; tail: number }[] = [];

  constructor(systemTokens: number) {
    this.#systemTokens = systemTokens;
  }

  /**
   * Adds a model call.
   * @param tools the sent tools in order, as numbers. Equal numbers refer to equal definitions.
   * @param toolTokens the tokens of each tool.
   * @param tailTokens the tokens of the instructions and messages after the tools
   */
  add(
    tools: readonly number[],
    toolTokens: (position: number) => number,
    tailTokens: number,
    outputTokens: number,
    isSearch = false,
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
    this.calls.push({
      ...{ sharedTokens, inputTokens: all + tailTokens, outputTokens },
      ...{ toolTokens: all, systemTokens: this.#systemTokens, isSearch },
    });
  }
}

function commonLength(one: readonly number[], other: readonly number[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}
