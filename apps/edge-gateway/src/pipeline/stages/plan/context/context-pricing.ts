import type { CatalogModel } from '@gateway/model-catalog';
import type { ContextPrice } from '../../../exchange/exchange.ts';
import type { ContextTokens } from '../../../exchange/tool-plan.ts';
import { charactersPerToken } from '../../../../request/token-estimates.ts';
import type { ContextSubject } from './context-subject.ts';

/**
 * Tokens saved × price − cache rewritten, by the provider's rules for prompt caches. Messages are compressed when they come in and
 * replayed after that, so nothing is rewritten as long as the memo of what was sent holds; where it is lost, what comes out is
 * the same again unless the session was begun under other settings, and that is priced as a rewrite.
 */
export function priceContext(model: CatalogModel | undefined, tokens: ContextTokens): ContextPrice {
  const tokensSaved = tokens.savedNew + tokens.savedAgain;
  const prices = readPricesOf(model);
  if (prices === null) return { tokensSaved, savedUsd: null, rewrittenUsd: null };
  const { write, read } = prices;
  return {
    tokensSaved,
    savedUsd: (tokens.savedNew * write + tokens.savedAgain * read) / 1_000_000,
    rewrittenUsd: (tokens.rewritten * (write - read)) / 1_000_000,
  };
}

/** USD per million tokens of input: written to the prompt cache and read from it, which without a cache is one price. */
interface ReadPrices {
  readonly write: number;
  readonly read: number;
}

/** Null where the catalogue names no prices. */
function readPricesOf(model: CatalogModel | undefined): ReadPrices | null {
  if (model?.prices == null) return null;
  const { prices, cache } = model;
  const isCached = cache !== null && cache.kind !== 'none';
  return {
    write: isCached ? (prices.cacheWrite ?? prices.input) : prices.input,
    read: isCached ? (prices.cacheRead ?? prices.input) : prices.input,
  };
}

/**
 * Whether sending a conversation in other words than before costs more than those words can save in the request: even without
 * its text at all no more than reading it is saved.
 */
export function isRewriteDear(model: CatalogModel | undefined): boolean {
  const prices = readPricesOf(model);
  return prices !== null && prices.write - prices.read > prices.read;
}

/** Requests whose results stay whole: what came in them is still being worked with. */
const recentMin = 12;
/** Where the window would overflow there is no choice. */
const recentMinNearEnd = 4;
const windowShareMax = 0.9;
/** Shorter results stay. */
const resultBytesMin = 2_000;
/** What a summary leaves, about. */
const summaryShare = 0.3;
/** A clear has to be worth its while. */
const tokensSavedMin = 8_000;
/** A session is taken to go on for this share of the requests that it has had. */
const requestsAheadShare = 0.5;

type ClearSubject = Pick<ContextSubject, 'outline' | 'candidates' | 'model'>;

/**
 * Before which message a session's old results go out as summaries; 0 for none. A clear is declared at the request in which it
 * first pays: what it saves in the requests that are still to come, read from the cache, against writing the rest of the
 * conversation to the cache once more; or in which the window would overflow. Goes through the session's requests one by
 * one, so that each later one, on any replica, comes to the same clears.
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

/** What a clear would take away: grows with the message before which results are old. */
class OldResults {
  /** Candidates looked at, those of earlier clears included. */
  read: number;
  /** The first byte that would change. */
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
