import { charactersPerToken } from '../../../characters-per-token.ts';
import type { ContextSubject } from './context-subject.ts';
import { readPricesOf } from './price-context.ts';

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

interface Size {
  /** Bytes from the first old result on. */
  from: number;
  saved: number;
}

/**
 * Before which message a session's old results go out as summaries; 0 for none. A clear is declared at the request in which it
 * first pays: what it saves in the requests that are still to come, read from the cache, against writing the rest of the
 * conversation to the cache once more; or in which the window would overflow. Goes through the session's requests one by
 * one, so that each later one, on any replica, comes to the same clears.
 */
export function chooseClear(subject: ClearSubject): number {
  const { outline, candidates, model } = subject;
  const { messages } = outline;
  const starts = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const ends = [...starts, messages.length];
  const first = messages[0]?.range.start ?? 0;
  let clearedBefore = 0;
  let requestsBefore = 0;
  for (const [request, end] of ends.entries()) {
    const tokens = tokensOf((messages[end - 1]?.range.end ?? first) - first);
    const isFull = model?.contextWindow != null && tokens > windowShareMax * model.contextWindow;
    const boundary = starts[request - (isFull ? recentMinNearEnd : recentMin)] ?? 0;
    if (boundary <= clearedBefore) continue;
    const size = sizeOf(subject, candidates, clearedBefore, boundary);
    if (tokensOf(size.saved) < tokensSavedMin) continue;
    const rest = (messages[end - 1]?.range.end ?? 0) - size.from - size.saved;
    const requestsAhead = (request - requestsBefore) * requestsAheadShare;
    if (!isFull && !pays(subject, size.saved * requestsAhead, rest)) continue;
    clearedBefore = boundary;
    requestsBefore = request;
  }
  return clearedBefore;
}

function pays({ model }: ClearSubject, savedBytes: number, rewrittenBytes: number): boolean {
  const prices = readPricesOf(model);
  return prices !== null && savedBytes * prices.read > rewrittenBytes * (prices.write - prices.read);
}

/** What a clear would take away between two messages. */
function sizeOf(
  { outline: { messages } }: ClearSubject,
  candidates: readonly number[],
  after: number,
  before: number,
): Size {
  const size: Size = { from: 0, saved: 0 };
  for (const index of candidates) {
    if (index < after) continue;
    if (index >= before) break;
    const { start, end } = messages[index]?.range ?? { start: 0, end: 0 };
    if (end - start < resultBytesMin) continue;
    if (size.saved === 0) size.from = start;
    size.saved += (end - start) * (1 - summaryShare);
  }
  return size;
}

function tokensOf(bytes: number): number {
  return bytes / charactersPerToken;
}
