/** The queue for batches of request events. */
export interface EventQueue {
  /**
   * Adds a job with the batch's id and the given UTF-8 JSON text. A batch that is already in the queue is not
   * changed. Rejects while the queue is unavailable; never waits for it.
   */
  add(batchId: string, data: Buffer): Promise<void>;
  /** Called when the queue becomes available (again). Its jobs may be lost. */
  onReady(listener: () => void): void;
  close(): Promise<void>;
}

/** The logger methods that the spool uses. */
export interface SpoolLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
