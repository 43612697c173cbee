/** Where gateways that no broadcast reaches find the epochs of changes. */
export interface EpochBoard {
  /**
   * Keeps the epoch of a change, negative for one that ends what it is of. Neither waits nor throws: what cannot be written
   * now is written when it can be.
   */
  write(name: string, epoch: number): void;
}
