import { pricesAt, type CatalogModel } from '@gateway/model-catalog';
import type { ContextPrice } from '../../../exchange/exchange.ts';
import type { ContextTokens } from '../../../exchange/tool-plan.ts';
import { charactersPerToken } from '../../../../request/token-estimates.ts';
import type { ContextSubject } from './context-subject.ts';

/**
 * Calculates the monetary value of compression under the provider's caching rules. This value is the price of the
 * saved tokens minus the cost of rewriting the prompt cache. Each message is compressed once and then repeated byte
 * for byte, so the prompt cache normally stays valid. If a stored message is lost, compressing it again produces the
 * same bytes. Only a change of the compression settings rewrites the prompt cache.
 * @param at Unix time in milliseconds at which the request was accepted
 */
export function priceContext(
  model: CatalogModel | undefined,
  tokens: ContextTokens,
  at: number,
): ContextPrice {
  const tokensSaved = tokens.savedNew + tokens.savedAgain;
  const prices = readPricesOf(model, at);
  if (prices === null) return { tokensSaved, savedUsd: null, rewrittenUsd: null };
  const { write, read } = prices;
  return {
    tokensSaved,
    savedUsd: (tokens.savedNew * write + tokens.savedAgain * read) / 1_000_000,
    rewrittenUsd: (tokens.rewritten * (write - read)) / 1_000_000,
  };
}

/**
 * USD per million input tokens, for cache writes and for cache reads. If the model has no prompt cache, the
 * prices for cache writes and cache reads equal the input price.
 */
interface ReadPrices {
  readonly write: number;
  readonly read: number;
}

/**
 * Returns the model's prices, or null if the catalogue has no prices for the model. Decisions about compression omit
 * `at`. The prices then do not depend on the time, so all requests of a conversation lead to the same decision.
 * Decisions about compression depend only on price ratios, which do not change.
 */
function readPricesOf(model: CatalogModel | undefined, at?: number): ReadPrices | null {
  if (model?.prices == null) return null;
  const { cache } = model;
  const prices = at === undefined ? model.prices : pricesAt(model.prices, at);
  const isCached = cache !== null && cache.kind !== 'none';
  return {
    write: isCached ? (prices.cacheWrite ?? prices.input) : prices.input,
    read: isCached ? (prices.cacheRead ?? prices.input) : prices.input,
  };
}

/**
 * Returns whether resending a changed conversation costs more in this request than the change can save.
 * Removing text saves at most the cost of reading the text from the prompt cache.
 */
export function isRewriteDear(model: CatalogModel | undefined): boolean {
  const prices = readPricesOf(model);
  return prices !== null && prices.write - prices.read > prices.read;
}

/**
 * The tool results of this number of newest requests are never summarized. The model may still need the newest tool
 * results.
 */
const recentMin = 12;
/**
 * The tool results of this number of newest requests are never summarized, even if the conversation nearly fills the
 * context window.
 */
const recentMinNearEnd = 4;
const windowShareMax = 0.9;
/** Minimum length of a compressed tool result in bytes. Tool results below the minimum are never summarized. */
const resultBytesMin = 2_000;
/** Estimated length of a summary as a fraction of the original text. */
const summaryShare = 0.3;
/** Minimum number of tokens that a replacement of old tool results must save. */
const tokensSavedMin = 8_000;
/** Expected number of further requests in a conversation, relative to the number of its earlier requests. */
const requestsAheadShare = 0.5;

type ClearSubject = Pick<ContextSubject, 'outline' | 'candidates' | 'model'>;

/**
 * Returns the index of the message before which summaries replace old tool results, or 0 if nothing is summarized. A
 * declared clear happens at the first request for which it saves money, or which nearly fills the context window. A
 * declared clear saves money if the expected cost of the avoided cache reads exceeds the cost of the new cache
 * write. All messages after the first changed message are written to the cache again. The function repeats the
 * decisions of all earlier requests in order, so that every replica finds the same declared clears.
 */
export function chooseClear(subject: ClearSubject): number {
  const { messages } = subject.outline;
  const starts = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const ends = [...starts, messages.length];
  const first = messages[0]?.range.start ?? 0;
  let [clearedBefore, requestsBefore] = [0, 0];
  let old = new OldResults(subject, 0);
  for (const [request, end] of ends.entries()) {
    const endByte = messages[end - 1]?.range.end ?? first;
    const isFull = isNearEnd(subject, endByte - first);
    const boundary = starts[request - (isFull ? recentMinNearEnd : recentMin)] ?? 0;
    if (boundary <= clearedBefore) continue;
    old.readUpTo(boundary);
    if (tokensOf(old.savedBytes) < tokensSavedMin) continue;
    const requestsAhead = (request - requestsBefore) * requestsAheadShare;
    const rest = endByte - old.start - old.savedBytes;
    if (!isFull && !pays(subject, old.savedBytes * requestsAhead, rest)) continue;
    [clearedBefore, requestsBefore] = [boundary, request];
    old = new OldResults(subject, old.read);
  }
  return clearedBefore;
}

function isNearEnd({ model }: ClearSubject, bytes: number): boolean {
  return model?.contextWindow != null && tokensOf(bytes) > windowShareMax * model.contextWindow;
}

function pays({ model }: ClearSubject, savedBytes: number, rewrittenBytes: number): boolean {
  const prices = readPricesOf(model);
  return prices !== null && savedBytes * prices.read > rewrittenBytes * (prices.write - prices.read);
}

/** The bytes that a declared clear would remove. A clear that covers more messages removes more bytes. */
class OldResults {
  /** Number of candidates examined so far, for this declared clear and for earlier ones. */
  read: number;
  /** Position of the first byte that the declared clear would change. */
  start = 0;
  savedBytes = 0;
  readonly #subject: ClearSubject;

  constructor(subject: ClearSubject, read: number) {
    this.#subject = subject;
    this.read = read;
  }

  readUpTo(boundary: number): void {
    const { candidates, outline } = this.#subject;
    for (; (candidates[this.read] ?? Infinity) < boundary; this.read += 1) {
      const { start, end } = outline.messages[candidates[this.read] ?? -1]?.range ?? { start: 0, end: 0 };
      if (end - start < resultBytesMin) continue;
      if (this.savedBytes === 0) this.start = start;
      this.savedBytes += (end - start) * (1 - summaryShare);
    }
  }
}

function tokensOf(bytes: number): number {
  return bytes / charactersPerToken;
}
