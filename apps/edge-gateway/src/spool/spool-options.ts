import type { SpoolLog } from './event-queue.port.ts';

export interface RequestSpoolOptions {
  /** Directory on a local disk, shared by all gateway processes on the machine. */
  readonly dir: string;
  /** Maximum disk space for this process, including adopted segments. */
  readonly bytesMax: number;
  readonly instanceId: string;
  readonly log: SpoolLog;
  readonly now?: () => number;
  /** A segment is sealed at this size. By default 8 MiB, or a sixteenth of a smaller spool. */
  readonly segmentBytesMax?: number;
  /** A segment is sealed at this age, so that committed data is deleted soon. */
  readonly segmentAgeMaxMs?: number;
}
