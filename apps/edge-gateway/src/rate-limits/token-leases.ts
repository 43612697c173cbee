/**
 * Lifetime of leased tokens, in milliseconds. A change that was not broadcast takes effect when the lease ends.
 * While the lease is valid, other processes cannot use its tokens.
 */
export const leaseMs = 50;
/**
 * Minimum number of expected requests at which the process requests a lease of tokens. A lease for only one or two
 * requests is not worth a call to Redis.
 */
const leaseTokensMin = 3;
/** The maximum number of tokens per lease. */
const leaseTokensMax = 1_024;

/** Rate limit tokens that Redis counted in advance. */
export interface Lease {
  tokens: number;
  /** Number of requests in the rate limit window after the last token of the lease was used. */
  readonly countAfter: number;
  readonly expiresAtMs: number;
  /** The time at which the rate limit window will be empty if no further requests arrive. */
  readonly emptyAtMs: number;
  readonly epoch: number;
  /** The time step of the rate limit window to which the tokens belong. */
  readonly step: number;
}

/** One token of a lease, and the state of the rate limit window after the token is used. */
export interface LeasedToken {
  readonly count: number;
  readonly emptyMs: number;
  readonly epoch: number;
}

/**
 * The leases of one API key in one process, and the rate at which the key's requests arrive. Callers pass the
 * time in milliseconds from a monotonic clock, because this class does not read a clock.
 */
export class TokenLeases {
  #leases: Lease[] = [];
  #periodStartMs = 0;
  #inPeriod = 0;
  #inLastPeriod = 0;

  /** Records that a request arrived. */
  note(nowMs: number): void {
    const passed = nowMs - this.#periodStartMs;
    if (passed >= leaseMs) {
      this.#inLastPeriod = passed < 2 * leaseMs ? this.#inPeriod : 0;
      this.#periodStartMs = nowMs;
      this.#inPeriod = 0;
    }
    this.#inPeriod += 1;
  }

  /**
   * Returns the number of tokens for the next lease, which is the higher request count of the current and the last
   * period. Returns 0 if requests arrive so rarely that a lease is not worth a call to Redis.
   */
  get wanted(): number {
    const expected = Math.max(this.#inPeriod, this.#inLastPeriod);
    return expected < leaseTokensMin ? 0 : Math.min(expected, leaseTokensMax);
  }

  add(lease: Lease): void {
    if (lease.tokens > 0) this.#leases.push(lease);
  }

  /** Uses one token from the oldest lease. Returns null if every lease is used up or expired. */
  take(nowMs: number): LeasedToken | null {
    for (let lease = this.#leases[0]; lease !== undefined; lease = this.#leases[0]) {
      if (lease.tokens > 0 && nowMs < lease.expiresAtMs) {
        lease.tokens -= 1;
        const { countAfter, tokens, emptyAtMs, epoch } = lease;
        return { count: countAfter - tokens, emptyMs: Math.max(1, Math.ceil(emptyAtMs - nowMs)), epoch };
      }
      this.#leases.shift();
    }
    return null;
  }

  /** Returns whether the process should request the next lease before the current leases end. */
  isRunningOut(nowMs: number): boolean {
    const { wanted } = this;
    let [tokens, endsAtMs] = [0, nowMs];
    for (const lease of this.#leases) {
      if (nowMs >= lease.expiresAtMs) continue;
      tokens += lease.tokens;
      endsAtMs = lease.expiresAtMs;
    }
    return wanted > 0 && (tokens <= wanted / 2 || endsAtMs - nowMs < leaseMs / 2);
  }

  /**
   * Ends a lease and returns the number of unused tokens. After the lease has ended, its unused tokens are
   * invalid.
   */
  end(lease: Lease): number {
    const unused = lease.tokens;
    lease.tokens = 0;
    this.#leases = this.#leases.filter((other) => other !== lease);
    return unused;
  }
}

/** Length of a rate limit window in milliseconds, including the step in which a request is counted. */
export const windowMs = 60_500;

/**
 * Returns the number of requests in the last reply from Redis. Returns 0 if none of the counted
 * requests can still be in the window.
 */
export function knownCount(
  known: { readonly count: number; readonly atMs: number } | null,
  nowMs: number,
): number {
  return known !== null && nowMs - known.atMs < windowMs ? known.count : 0;
}

/**
 * Counts the requests of the last minute that one process admitted without Redis, in periods of five seconds.
 */
export class UnreportedRequests {
  #periods: { readonly startMs: number; count: number }[] = [];

  add(nowMs: number): void {
    const last = this.#periods.at(-1);
    if (last !== undefined && nowMs - last.startMs < 5_000) last.count += 1;
    else this.#periods.push({ startMs: nowMs, count: 1 });
  }

  count(nowMs: number): number {
    if (this.#periods.length === 0) return 0;
    this.#periods = this.#periods.filter(({ startMs }) => nowMs - startMs < windowMs + 5_000);
    return this.#periods.reduce((sum, { count }) => sum + count, 0);
  }

  /**
   * Removes all requests from the list and returns them, before they are sent to Redis. Removing the requests first
   * ensures that Redis counts each request only once.
   */
  take(nowMs: number): { readonly count: number; readonly putBack: () => void } {
    const count = this.count(nowMs);
    const taken = this.#periods;
    this.#periods = [];
    return { count, putBack: () => void this.#periods.unshift(...taken) };
  }
}
