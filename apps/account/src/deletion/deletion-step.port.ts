/** One service's part in forgetting an account. */
export interface DeletionStep {
  /** As the receipt names it. Kept in the database: never renamed. */
  readonly service: string;
  /**
   * Forgets what it can now, and says whether that was all. Asked again after any failure and after any death, so that
   * doing it twice must change nothing. Throws when it could not.
   *
   * @param epoch the account's last.
   */
  forget(account: { readonly accountId: string; readonly epoch: number }): Promise<boolean>;
}
