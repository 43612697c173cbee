/** Stores the epochs of changes, for gateways that miss a broadcast. */
export interface EpochBoard {
  /**
   * Stores the epoch of a change. A negative epoch marks a revocation or deletion. It returns at once and never
   * throws: a failed write is retried later.
   */
  write(name: string, epoch: number): void;
}
