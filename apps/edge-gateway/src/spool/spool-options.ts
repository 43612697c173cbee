import type { SpoolLog } from './event-queue.port.ts';

export interface RequestSpoolOptions {
  /** Spool directory on a local disk, shared by all gateway processes on the machine. */
  readonly dir: string;
  /** Maximum disk space for this process in bytes, including adopted segments. */
  readonly bytesMax: number;
  readonly instanceId: string;
  readonly log: SpoolLog;
  readonly now?: () => number;
  /**
   * Length in bytes at which a segment file is closed for appending. The default length is 8 MiB, or a
   * sixteenth of the spool size if the spool is smaller than 128 MiB.
   */
  readonly segmentBytesMax?: number;
  /** Age in milliseconds at which a segment file is closed, so that committed data is deleted soon. */
  readonly segmentAgeMaxMs?: number;
}
