import type { TokenCounts } from '@gateway/contracts';

/** Exact token counts for blocks, stored for a limited time. */
export interface CountStore {
  /** Stores counts. The method returns immediately and never throws. */
  keep(accountId: string, id: string, counts: TokenCounts): void;
  /**
   * Returns the counts in the order of the request, with null for a missing count. The method never rejects.
   */
  find(accountId: string, ids: readonly string[]): Promise<(TokenCounts | null)[]>;
}

export const COUNT_STORE = Symbol('CountStore');
