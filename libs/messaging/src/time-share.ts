import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

export interface TimeShareOptions {
  /** The share of the time, from 0 to 1, that one account may use while other accounts are active. */
  readonly contendedShare: number;
  /** Time that an account may use without a pause before `contendedShare` applies, in milliseconds. */
  readonly burstMs: number;
  /** The accounts that are active. Default: the accounts that this object notes. */
  readonly active?: ActiveAccounts;
  readonly now?: () => number;
}

/** Time for which an account is active after a request, in milliseconds. */
const activeMs = 1_000;

/** Records which accounts sent the newest requests, to determine whether several accounts are active. */
export class ActiveAccounts {
  readonly #now: () => number;
  #newest = { accountId: '', at: -Infinity };
  /** The time of the newest request by a different account. */
  #other = { accountId: '', at: -Infinity };

  constructor(now: () => number = performance.now.bind(performance)) {
    this.#now = now;
  }

  /** Records that the account sent a request. */
  note(accountId: string): void {
    if (accountId !== this.#newest.accountId) {
      this.#other = this.#newest;
      this.#newest = { accountId, at: 0 };
    }
    this.#newest.at = this.#now();
  }

  /** Returns whether at least two accounts sent requests in the last second. */
  areSeveral(): boolean {
    return Math.min(this.#newest.at, this.#other.at) > this.#now() - activeMs;
  }
}

/** Maximum number of accounts with a stored time. An account without a stored time may use a full `burstMs`. */
const usesMax = 10_000;

interface Use {
  readonly ms: number;
  readonly at: number;
}

/**
 * Shares the time of an event loop or a thread among accounts. A single active account may use all of the
 * time. While several accounts are active, each account gets a fixed share with a burst (a token bucket).
 * While an account waits for its share, the time is available to the other accounts.
 */
export class TimeShare {
  readonly #options: TimeShareOptions;
  readonly #now: () => number;
  /**
   * Milliseconds that an account has used, minus its share of the elapsed time. The stored time is at most
   * twice `burstMs`. After using the whole time without competition, an account waits only a short
   * time when another account starts.
   */
  readonly #uses = new Map<string, Use>();
  readonly #active: ActiveAccounts;

  constructor(options: TimeShareOptions) {
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
    this.#active = options.active ?? new ActiveAccounts(this.#now);
  }

  /** Records that the account sent a request, regardless of its size. */
  note(accountId: string): void {
    this.#active.note(accountId);
  }

  /** Returns whether the account may now use the event loop or thread. */
  mayRun(accountId: string): boolean {
    return this.restMs(accountId) === 0;
  }

  /** Returns the number of milliseconds until the account may use the event loop or thread again. */
  restMs(accountId: string): number {
    if (!this.#active.areSeveral()) return 0;
    const { burstMs, contendedShare } = this.#options;
    return Math.max(0, this.#usedBy(accountId, this.#now()) - burstMs) / contendedShare;
  }

  /**
   * Resolves in a later turn of the event loop, as soon as the account may use the event loop. The account's
   * used time includes the time from the start of this turn until the event loop is free again.
   */
  async turn(accountId: string): Promise<void> {
    await nextTurn();
    await this.#rest(accountId);
    const startedAt = this.#now();
    // This callback runs after the code that awaits `turn`, so the measured time includes that code.
    process.nextTick(() => this.use(accountId, this.#now() - startedAt));
  }

  /**
   * Runs the work as soon as the account may use the resource, and counts its duration as used time. Calls
   * of one account that wait at the same time start together, so callers limit the number of concurrent calls.
   * @throws the errors of `work`
   */
  async run<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
    await this.#rest(accountId);
    const startedAt = this.#now();
    try {
      return await work();
    } finally {
      this.use(accountId, this.#now() - startedAt);
    }
  }

  async #rest(accountId: string): Promise<void> {
    for (let restMs = this.restMs(accountId); restMs > 0; restMs = this.restMs(accountId)) await wait(restMs);
  }

  /**
   * Records that the account has just used the event loop or thread for the given number of milliseconds. An
   * account with a long task therefore stays active after its request.
   */
  use(accountId: string, ms: number): void {
    this.#active.note(accountId);
    const at = this.#now();
    const used = Math.min(this.#usedBy(accountId, at) + ms, 2 * this.#options.burstMs);
    this.#uses.delete(accountId);
    this.#uses.set(accountId, { ms: used, at });
    if (this.#uses.size <= usesMax) return;
    const [oldest] = this.#uses.keys();
    if (oldest !== undefined) this.#uses.delete(oldest);
  }

  #usedBy(accountId: string, now: number): number {
    const use = this.#uses.get(accountId);
    return use === undefined ? 0 : Math.max(0, use.ms - (now - use.at) * this.#options.contendedShare);
  }
}
