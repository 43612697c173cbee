/** The queue that receives batches of request events. */
export interface EventQueue {
  /**
   * Adds a job with the batch's id and the given UTF-8 JSON text. A batch that is already in the queue is not
   * added again. While the queue is unavailable, the promise rejects immediately.
   */
  add(batchId: string, data: Buffer): Promise<void>;
  /**
   * Sets a listener that is called when the queue becomes available, at startup or after an outage. An outage
   * may have deleted the jobs in the queue.
   */
  onReady(listener: () => void): void;
  close(): Promise<void>;
}

/** The logger methods that the spool uses. */
export interface SpoolLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
