import { LRUCache } from 'lru-cache';
import { ExponentialBackoff, decorrelatedJitterGenerator } from 'cockatiel';

/** Limits for extra calls (retries, fallbacks and hedges). */
interface RetryBudgetOptions {
  readonly share: number;
  /**
   * Extra calls (retries, fallbacks and hedges) that are always allowed per time window. Accounts with very few
   * requests need this minimum, because their share of extra calls rounds down to zero.
   */
  readonly floor: number;
  readonly now?: () => number;
}

const windowMs = 60_000;

/**
 * Request counts for the current and the previous time window. A sliding window is approximated by the count of the
 * current window plus a fraction of the count of the previous window.
 */
class Window {
  #startedAt = 0;
  #requests = 0;
  #extra = 0;
  #requestsBefore = 0;
  #extraBefore = 0;

  countRequest(now: number): void {
    this.#turn(now);
    this.#requests += 1;
  }

  countExtra(now: number): void {
    this.#turn(now);
    this.#extra += 1;
  }

  hasRoom(now: number, { share, floor }: RetryBudgetOptions): boolean {
    this.#turn(now);
    const rest = 1 - (now - this.#startedAt) / windowMs;
    const requests = this.#requests + this.#requestsBefore * rest;
    const extra = this.#extra + this.#extraBefore * rest;
    return extra + 1 <= Math.max(floor, requests * share);
  }

  #turn(now: number): void {
    const passed = now - this.#startedAt;
    if (passed < windowMs) return;
    const isNext = passed < 2 * windowMs;
    this.#requestsBefore = isNext ? this.#requests : 0;
    this.#extraBefore = isNext ? this.#extra : 0;
    this.#startedAt = isNext ? this.#startedAt + windowMs : now;
    this.#requests = 0;
    this.#extra = 0;
  }
}

/**
 * Limits the load that retries and fallbacks add to failing providers. Per account and process, the number of extra
 * calls is at most the fraction `share` of the number of requests. Failed requests of one account do not use up
 * another account's retries.
 */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  readonly #now: () => number;
  readonly #all = new Window();
  readonly #byAccount = new LRUCache<string, Window>({ max: 10_000 });

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Counts a request in the current window. Each counted request increases the number of allowed extra calls.
   * Callers must call this method once per request.
   */
  countRequest(accountId: string): void {
    const now = this.#now();
    this.#all.countRequest(now);
    this.#windowOf(accountId).countRequest(now);
  }

  /**
   * Counts one extra call if the retry budget allows another call. Returns false if the retry budget is used
   * up.
   */
  takeExtra(accountId: string): boolean {
    const now = this.#now();
    const account = this.#windowOf(accountId);
    // The process may always make four times as many extra calls as one account.
    const shared = { ...this.#options, floor: 4 * this.#options.floor };
    if (!account.hasRoom(now, this.#options) || !this.#all.hasRoom(now, shared)) return false;
    account.countExtra(now);
    this.#all.countExtra(now);
    return true;
  }

  #windowOf(accountId: string): Window {
    const known = this.#byAccount.get(accountId);
    if (known !== undefined) return known;
    const made = new Window();
    this.#byAccount.set(accountId, made);
    return made;
  }
}

/**
 * The delays between retries of a provider call. The delay is about 0.2 s before the first retry and doubles
 * with each further retry, up to 3 s. The delays vary at random, so that calls that failed at the same time
 * are not all retried at once.
 */
const waits = new ExponentialBackoff({
  generator: decorrelatedJitterGenerator,
  initialDelay: 200,
  maxDelay: 3_000,
});

/** Milliseconds to wait before retry number `again`, counted from 1. */
export function chooseBackoffMs(again: number): number {
  let wait = waits.next();
  for (let step = 0; step < again; step += 1) wait = wait.next(undefined);
  return wait.duration;
}
