/** Where replicas put what they observe together. */
export interface ObservationStore {
  /** Adds to an account's sums, and answers all of them. Nothing added: only answers. Throws when it is away. */
  add(
    accountId: string,
    added: ReadonlyMap<string, Sums>,
    halfLifeMs: (name: string) => number,
  ): Promise<SumsByName>;
  /** Throws when it is away. */
  forget(accountId: string): Promise<unknown>;
}

/** Sums over requests, in which older ones count less: halved with every half-life. */
export interface Sums {
  /** How many requests they are worth. */
  weight: number;
  firstTokenMs: number;
  /** Requests that told their pace. */
  paced: number;
  msPerToken: number;
  /** When they were worth that, in milliseconds of Unix time. */
  at: number;
}

/** By `<provider>/<model>`, or by a bin of complexity. */
export type SumsByName = Map<string, Sums>;

export const latencyHalfLifeMs = 10 * 60_000;

export function emptySums(at: number): Sums {
  return { weight: 0, firstTokenMs: 0, paced: 0, msPerToken: 0, at };
}

/** What sums are worth later. */
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
