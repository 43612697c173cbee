/**
 * The store in which gateway processes share the measured response times and request complexities of
 * accounts.
 */
export interface ObservationStore {
  /**
   * Adds to an account's totals and returns all totals of the account. If the given map is empty, the method
   * only reads the totals. The method throws while the store is unavailable.
   */
  add(
    accountId: string,
    added: ReadonlyMap<string, Sums>,
    halfLifeMs: (name: string) => number,
  ): Promise<SumsByName>;
  /** Removes all totals of an account. The method throws while the store is unavailable. */
  forget(accountId: string): Promise<unknown>;
}

/** Exponentially decayed totals over past requests. The weight of a request halves every half-life. */
export interface Sums {
  /** Decayed number of requests. */
  weight: number;
  firstTokenMs: number;
  /** Decayed number of requests for which the time per token was measured. */
  paced: number;
  msPerToken: number;
  /** Unix time in milliseconds at which the decayed totals were computed. */
  at: number;
}

/** Totals keyed by model (`<provider>/<model>`) or by complexity bin. */
export type SumsByName = Map<string, Sums>;

export const latencyHalfLifeMs = 10 * 60_000;

export function emptySums(at: number): Sums {
  return { weight: 0, firstTokenMs: 0, paced: 0, msPerToken: 0, at };
}

/** Returns the totals after exponential decay until a later time. */
export function decaySums(sums: Sums, at: number, halfLifeMs: number): Sums {
  const factor = 2 ** (-Math.max(0, at - sums.at) / halfLifeMs);
  return {
    weight: sums.weight * factor,
    firstTokenMs: sums.firstTokenMs * factor,
    paced: sums.paced * factor,
    msPerToken: sums.msPerToken * factor,
    at,
  };
}

export function addSums(one: Sums, other: Sums): Sums {
  return {
    weight: one.weight + other.weight,
    firstTokenMs: one.firstTokenMs + other.firstTokenMs,
    paced: one.paced + other.paced,
    msPerToken: one.msPerToken + other.msPerToken,
    at: Math.max(one.at, other.at),
  };
}
