/** Whose conversation something was left out of. To any other, the ids of its markers mean nothing. */
export interface OriginalScope {
  readonly accountId: string;
  /** SHA-256, in hex, over account and the beginning of the conversation. */
  readonly session: string;
}

/**
 * What was left out of conversations, for a while. Nothing hangs on it but speed, and that people can look it up: whoever has
 * the conversation can have it made again.
 */
export interface OriginalStore {
  /** Keeps originals by the ids of their markers. Neither waits nor fails: what cannot be kept is not. */
  keep(scope: OriginalScope, originals: ReadonlyMap<string, string>): void;
  /** Exactly what was left out, in the order asked for; null for what is not kept, or is another scope's. Never fails. */
  find(scope: OriginalScope, ids: readonly string[]): Promise<(string | null)[]>;
}

export const ORIGINAL_STORE = Symbol('OriginalStore');
