export interface DeletedAccount {
  readonly accountId: string;
  /** The account's last epoch. */
  readonly epoch: number;
  readonly requestedAt: Date;
}

/** The part of one service in deleting an account. */
export interface DeletionStep {
  /** The service's name in the deletion receipt. The database stores this name, so it must never change. */
  readonly service: string;
  /**
   * Deletes as much as a single call can, and returns whether the deletion is complete. The call is repeated
   * after a failure or crash, so the step must be idempotent. Throws on failure.
   */
  forget(account: DeletedAccount): Promise<boolean>;
}
