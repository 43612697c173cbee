import type { Sums, SumsByName } from './observed-sums.ts';

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
