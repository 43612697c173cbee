/** Where batches of request events go. */
export interface EventQueue {
  /**
   * Adds a job whose id is the batch's and whose data is the given JSON text, in UTF-8. A batch that is in the queue already
   * is left as it is. Rejects while the queue is away; never waits for it to come back.
   */
  add(batchId: string, data: Buffer): Promise<void>;
  /** The queue can be reached (again); what was in it may be gone. */
  onReady(listener: () => void): void;
  close(): Promise<void>;
}

/** The part of a pino logger that the spool uses. */
export interface SpoolLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
