import { LRUCache } from 'lru-cache';
import { ExponentialBackoff, decorrelatedJitterGenerator } from 'cockatiel';

/** Calls beyond the first of a request, as a share of the requests of the window. */
interface RetryBudgetOptions {
  readonly share: number;
  /** So many are allowed in a window whatever the share says: where requests are few, a share of them is none. */
  readonly floor: number;
  readonly now?: () => number;
}

const windowMs = 60_000;

/**
 * Requests and further calls of the present window and the one before it, which counts for as much of it as is still within
 * one window's length: an approximation of a sliding window in four numbers.
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
 * Bounds what retries and fallbacks add to the load of providers that are in trouble: at most `share` of the requests,
 * for each account and for the process as a whole, so that one account's trouble takes no other's retries.
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

  /** Of each request, once. */
  countRequest(accountId: string): void {
    const now = this.#now();
    this.#all.countRequest(now);
    this.#windowOf(accountId).countRequest(now);
  }

  /** Takes a further call out of the budget, if there is one left. */
  takeExtra(accountId: string): boolean {
    const now = this.#now();
    const account = this.#windowOf(accountId);
    // The process has room for the floors of several accounts.
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

/** About 0.2 s before the first try, 0.4 s before the second, and so on; jittered, so that callers that failed together do not come back together. */
const waits = new ExponentialBackoff({
  generator: decorrelatedJitterGenerator,
  initialDelay: 200,
  maxDelay: 3_000,
});

/** How long to wait before the same call is made for the `again`-th time (1 is the first repetition). */
export function chooseBackoffMs(again: number): number {
  let wait = waits.next();
  for (let step = 0; step < again; step += 1) wait = wait.next(undefined);
  return wait.duration;
}
