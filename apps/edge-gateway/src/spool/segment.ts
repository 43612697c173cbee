import { close, ftruncate, open, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uuidv7 } from 'uuidv7';

/** A segment file and its state in this process. */
export interface Segment {
  /** A UUIDv7: names sort by age and are never reused, so a batch id always identifies the same bytes. */
  readonly id: string;
  readonly path: string;
  readonly openedAtMs: number;
  /** Whether a dead process wrote its lines, which may be damaged. */
  readonly recovered: boolean;
  /** Bytes of complete lines in the file. */
  bytes: number;
  /** Time since which nothing more is appended; null while open. */
  sealedAtMs: number | null;
  /** All bytes before this offset were delivered to the queue. */
  shippedBytes: number;
  /** Delivered batches that the worker has not reported as committed. */
  uncommittedBatches: number;
  /** Requests accepted in this segment without an end line on disk. */
  openAccepts: number;
}

export const segmentSuffix = '.jsonl';

export function createSegment(options: Pick<Segment, 'id' | 'path' | 'openedAtMs' | 'recovered'>): Segment {
  return { ...options, bytes: 0, sealedAtMs: null, shippedBytes: 0, uncommittedBatches: 0, openAccepts: 0 };
}

/** Whether all end lines of a sealed segment are in Postgres. Requests accepted in it may still be open. */
export function isCommitted(segment: Segment): boolean {
  return (
    segment.sealedAtMs !== null && segment.shippedBytes === segment.bytes && segment.uncommittedBatches === 0
  );
}

const openFile = promisify(open);
const closeFile = promisify(close);
const truncateFile = promisify(ftruncate);

interface SegmentWriterOptions {
  readonly directory: string;
  readonly segmentBytesMax: number;
  readonly now: () => number;
  readonly onSegment: (segment: Segment) => void;
}

/**
 * Appends to the newest segment file of a directory, one call at a time: the caller groups its lines. The death of
 * the process loses nothing, because the page cache survives it. Therefore there is no fsync: the loss of the machine
 * loses what was not shipped.
 */
export class SegmentWriter {
  #current: { readonly segment: Segment; readonly fd: number } | null = null;
  readonly #options: SegmentWriterOptions;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes complete lines and returns their segment and length. After an error none of them count: the segment is
   * truncated and sealed, and the next call starts a new one.
   */
  async append(bytes: Buffer): Promise<{ readonly segment: Segment; readonly bytes: number }> {
    const current = await this.#roomFor(bytes.length);
    try {
      writeWhole(current.fd, bytes);
    } catch (error) {
      // Readers tolerate a torn line, so a failed truncation is harmless.
      await truncateFile(current.fd, current.segment.bytes).catch(() => undefined);
      await this.seal();
      throw error;
    }
    current.segment.bytes += bytes.length;
    return { segment: current.segment, bytes: bytes.length };
  }

  /** The open segment; null if there is none. */
  get current(): Segment | null {
    return this.#current?.segment ?? null;
  }

  /** Seals the current segment. */
  async seal(): Promise<void> {
    if (this.#current === null) return;
    const { segment, fd } = this.#current;
    this.#current = null;
    segment.sealedAtMs = this.#options.now();
    await closeFile(fd);
  }

  async #roomFor(bytes: number): Promise<{ readonly segment: Segment; readonly fd: number }> {
    const { segmentBytesMax, directory, now, onSegment } = this.#options;
    const full = this.#current !== null && this.#current.segment.bytes + bytes > segmentBytesMax;
    if (full) await this.seal();
    if (this.#current === null) {
      const id = uuidv7();
      const path = join(directory, id + segmentSuffix);
      // 0600: no other user may read the request log.
      const fd = await openFile(path, 'ax', 0o600);
      this.#current = { fd, segment: createSegment({ id, path, openedAtMs: now(), recovered: false }) };
      onSegment(this.#current.segment);
    }
    return this.#current;
  }
}

/**
 * Writes synchronously into the page cache: this takes a few microseconds for a group of lines, and the thread pool
 * would take several times as long while every request waits. Hazard: if the disk is so slow that the kernel blocks
 * writers (`vm.dirty_ratio`), the event loop blocks too. Use the spool's volume only for the spool.
 */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length;) {
    offset += writeSync(fd, bytes, offset, bytes.length - offset, null);
  }
}
