/** On whose account a route works, whichever way the caller proved it. */
export interface AccountCaller {
  readonly accountId: string;
  /** The API key it was called with; null for a person. */
  readonly keyId: string | null;
  /** The person who called; null for an API key. */
  readonly personId: string | null;
}
