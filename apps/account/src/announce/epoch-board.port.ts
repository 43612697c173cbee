/** Stores the epochs (change numbers) of accounts and keys, for gateways that miss a broadcast. */
export interface EpochBoard {
  /**
   * Stores the epoch (number) of a change. A negative epoch marks a revoked key or a deleted account. The
   * method returns immediately and never throws, because failed writes are retried in the background.
   */
  write(name: string, epoch: number): void;
}
