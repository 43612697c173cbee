import type { TokenCounts } from '@gateway/contracts';

/** Exact token counts of blocks, stored for a limited time. */
export interface CountStore {
  /** Returns at once and never throws. */
  keep(id: string, counts: TokenCounts): void;
  /** In the order of the request; null for a missing count. Never rejects. */
  find(ids: readonly string[]): Promise<(TokenCounts | null)[]>;
}

export const COUNT_STORE = Symbol('CountStore');
