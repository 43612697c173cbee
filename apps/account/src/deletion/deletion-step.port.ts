export interface DeletedAccount {
  readonly accountId: string;
  /** The account's last epoch. */
  readonly epoch: number;
  readonly requestedAt: Date;
}

/** One service's part in deleting an account. */
export interface DeletionStep {
  /** The service's name in the deletion receipt. It is stored in the database, so it must never change. */
  readonly service: string;
  /**
   * Deletes as much as a single call can, and returns whether the deletion is complete. The call is repeated
   * after a failure or crash, so it must be idempotent. Throws on failure.
   */
  forget(account: DeletedAccount): Promise<boolean>;
}
