/** The conversation to which an original text belongs. Marker ids are valid only within one conversation. */
export interface OriginalScope {
  readonly accountId: string;
  /** SHA-256 (hex) over the account and the first messages of the conversation. */
  readonly session: string;
}

/**
 * Stores omitted text for a limited time, for fast recovery and for the request log. If a text is not stored, the
 * compressor can rebuild the text from the conversation.
 */
export interface OriginalStore {
  /**
   * Stores original texts by marker id. Returns immediately and never throws. Original texts that cannot be
   * stored are skipped.
   */
  keep(scope: OriginalScope, originals: ReadonlyMap<string, string>): void;
  /**
   * Returns the omitted texts unchanged, in the order of the requested ids. Null for texts that are not
   * stored or belong to another conversation. Never rejects.
   */
  find(scope: OriginalScope, ids: readonly string[]): Promise<(string | null)[]>;
}

export const ORIGINAL_STORE = Symbol('OriginalStore');
