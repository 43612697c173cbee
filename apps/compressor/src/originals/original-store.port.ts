/** The conversation that an original belongs to. Marker ids are valid only within this conversation. */
export interface OriginalScope {
  readonly accountId: string;
  /** SHA-256 (hex) over the account and the start of the conversation. Glossary: conversation. */
  readonly session: string;
}

/**
 * Stores omitted text for a limited time, for fast recovery and for display in the request log. If a text is
 * not stored, the compressor can rebuild it from the conversation.
 */
export interface OriginalStore {
  /**
   * Stores originals by marker id. The method returns immediately and never throws. Originals that cannot be
   * stored are skipped.
   */
  keep(scope: OriginalScope, originals: ReadonlyMap<string, string>): void;
  /**
   * Returns the omitted texts unchanged, in the order of the request. Texts that are not stored or belong to
   * another conversation are null. The method never rejects.
   */
  find(scope: OriginalScope, ids: readonly string[]): Promise<(string | null)[]>;
}

export const ORIGINAL_STORE = Symbol('OriginalStore');
