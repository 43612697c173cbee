/** Stores the epochs of changes, for gateways that miss a broadcast. */
export interface EpochBoard {
  /**
   * Stores the epoch of a change. A negative epoch marks a revocation or deletion. The call returns
   * immediately and never throws: failed writes are retried in the background.
   */
  write(name: string, epoch: number): void;
}
