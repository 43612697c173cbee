import { close, ftruncate, open, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uuidv7 } from 'uuidv7';

/** A segment file of the spool, together with its state in this process. */
export interface Segment {
  /**
   * The name of the segment, which is a UUIDv7. Segment names sort by age. No name is used twice, so a batch id
   * always identifies the same bytes.
   */
  readonly id: string;
  readonly path: string;
  readonly openedAtMs: number;
  /** Whether the lines were written by a process that died. Lines written by a process that died may be damaged. */
  readonly recovered: boolean;
  /** Number of bytes in the file's complete lines. */
  bytes: number;
  /** Time at which the segment was closed for appending. Null while the segment is open. */
  sealedAtMs: number | null;
  /** Number of bytes of the segment that were delivered to the queue. */
  shippedBytes: number;
  /** Number of delivered batches that the worker has not reported as committed. */
  uncommittedBatches: number;
  /** For each account, the number of bytes of its lines in the segment. Empty for a recovered segment. */
  readonly accountBytes: Map<string, number>;
  /** Number of requests with an accept line in this segment but no end line on disk yet. */
  openAccepts: number;
}

export const segmentSuffix = '.jsonl';

export function createSegment(options: Pick<Segment, 'id' | 'path' | 'openedAtMs' | 'recovered'>): Segment {
  const counts = { bytes: 0, shippedBytes: 0, uncommittedBatches: 0, openAccepts: 0 };
  return { ...options, ...counts, sealedAtMs: null, accountBytes: new Map() };
}

/**
 * Returns whether all end lines of a closed segment are in Postgres. The segment may contain accept lines of
 * requests that are still open.
 */
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
 * Appends lines to the newest segment file in a directory. Callers must wait for each write to finish before the
 * next write. If the process dies, no line is lost, because the data stays in the operating system's page cache. If
 * the machine dies, data that was not shipped is lost, because the segment writer calls no fsync.
 */
export class SegmentWriter {
  #current: { readonly segment: Segment; readonly fd: number } | null = null;
  readonly #options: SegmentWriterOptions;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes complete lines and returns their segment and length. If the write fails, the segment contains none of the
   * lines. After a failed write, the segment is truncated and closed for appending, and the next call starts a new
   * segment.
   */
  async append(bytes: Buffer): Promise<{ readonly segment: Segment; readonly bytes: number }> {
    const current = await this.#roomFor(bytes.length);
    try {
      writeWhole(current.fd, bytes);
    } catch (error) {
      // A failed truncation is harmless, because readers tolerate an incomplete line.
      await truncateFile(current.fd, current.segment.bytes).catch(() => undefined);
      await this.seal();
      throw error;
    }
    current.segment.bytes += bytes.length;
    return { segment: current.segment, bytes: bytes.length };
  }

  /** The segment that is open for appending. Null if no segment is open. */
  get current(): Segment | null {
    return this.#current?.segment ?? null;
  }

  /** Closes the current segment for appending. */
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
      // The file mode 0600 keeps other users from reading the request log.
      const fd = await openFile(path, 'ax', 0o600);
      this.#current = { fd, segment: createSegment({ id, path, openedAtMs: now(), recovered: false }) };
      onSegment(this.#current.segment);
    }
    return this.#current;
  }
}

/**
 * Writes synchronously into the page cache, which takes a few microseconds per write. A write through the thread
 * pool would take several times as long, and every request would wait for the write. On a slow disk, the kernel
 * blocks writers (`vm.dirty_ratio`) and also the event loop, so the spool needs a dedicated volume.
 */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length;) {
    offset += writeSync(fd, bytes, offset, bytes.length - offset, null);
  }
}
