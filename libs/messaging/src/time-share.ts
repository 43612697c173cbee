export interface TimeShareOptions {
  /** The part of the time that one account gets while others are active; 0 to 1. */
  readonly contendedShare: number;
  /** Time that an account may use at once before `contendedShare` applies, in milliseconds. */
  readonly burstMs: number;
  readonly now?: () => number;
}

/** An account counts as active for this long after a request. */
const activeMs = 1_000;
/** Maximum number of remembered accounts. The others start again with a full burst. */
const usesMax = 10_000;

interface Use {
  readonly ms: number;
  readonly at: number;
}

/**
 * Shares the time of an event loop or a thread between accounts. A single active account may use all of it. While
 * several are active, each gets a fixed share with a burst (a token bucket), which leaves the processor to the others.
 */
export class TimeShare {
  readonly #options: TimeShareOptions;
  readonly #now: () => number;
  /**
   * Milliseconds that an account used, minus its share of the time since then. At most two bursts, so that an account
   * that was the only one for a long time waits only a short time when another account starts.
   */
  readonly #uses = new Map<string, Use>();
  #newest = { accountId: '', at: -Infinity };
  /** The newest request of any other account. */
  #other = { accountId: '', at: -Infinity };

  constructor(options: TimeShareOptions) {
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
  }

  /** Notes a request of the account, whatever its size. */
  note(accountId: string): void {
    if (accountId !== this.#newest.accountId) {
      this.#other = this.#newest;
      this.#newest = { accountId, at: 0 };
    }
    this.#newest.at = this.#now();
  }

  /** Whether the account may use time now. */
  mayRun(accountId: string): boolean {
    const now = this.#now();
    const isContended = Math.min(this.#newest.at, this.#other.at) > now - activeMs;
    return !isContended || this.#usedBy(accountId, now) <= this.#options.burstMs;
  }

  /** Notes that the account has just used this many milliseconds. */
  use(accountId: string, ms: number): void {
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
