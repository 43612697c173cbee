/** The part of one service in deleting an account. */
export interface DeletionStep {
  /** Name of the service in the receipt. It is stored in the database, so it never changes. */
  readonly service: string;
  /**
   * Deletes as much as one call can, and returns whether nothing is left. It is repeated after a failure or a crash,
   * so it must be idempotent. Throws if it failed.
   *
   * @param epoch the last epoch of the account.
   */
  forget(account: { readonly accountId: string; readonly epoch: number }): Promise<boolean>;
}
