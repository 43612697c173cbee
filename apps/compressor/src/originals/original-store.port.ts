/** The conversation that an original belongs to. Marker ids are valid only within it. */
export interface OriginalScope {
  readonly accountId: string;
  /** SHA-256 (hex) over the account and the start of the conversation. Glossary: conversation. */
  readonly session: string;
}

/**
 * Stores omitted text for a limited time, for speed and for display in the request log. The compressor can
 * also rebuild the text from the conversation.
 */
export interface OriginalStore {
  /**
   * Stores originals by marker id. Returns at once and never throws; an original that cannot be stored is
   * skipped.
   */
  keep(scope: OriginalScope, originals: ReadonlyMap<string, string>): void;
  /**
   * The exact omitted texts in the order of the request; null for texts that are not stored or belong to
   * another conversation. Never rejects.
   */
  find(scope: OriginalScope, ids: readonly string[]): Promise<(string | null)[]>;
}

export const ORIGINAL_STORE = Symbol('OriginalStore');
