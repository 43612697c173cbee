import type { TokenCounts } from '@gateway/contracts';

/** Exact counts of blocks, for a while. */
export interface CountStore {
  /** Neither waits nor fails. */
  keep(id: string, counts: TokenCounts): void;
  /** In the order asked; null for what is not kept. Never fails. */
  find(ids: readonly string[]): Promise<(TokenCounts | null)[]>;
}

export const COUNT_STORE = Symbol('CountStore');
