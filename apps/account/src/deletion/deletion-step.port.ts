export interface DeletedAccount {
  readonly accountId: string;
  /** The account's last epoch (change number). */
  readonly epoch: number;
  readonly requestedAt: Date;
}

/** The step in which one service deletes its data about an account. */
export interface DeletionStep {
  /**
   * The service's name in the deletion receipt. The database stores the service's name, so the name must
   * never change.
   */
  readonly service: string;
  /**
   * Deletes as much account data as a single call can, and returns whether the deletion is complete. The call
   * is repeated after a failure or crash, so each deletion step must be idempotent. Throws on failure.
   */
  forget(account: DeletedAccount): Promise<boolean>;
}
