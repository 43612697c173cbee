import { close, ftruncate, open, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uuidv7 } from 'uuidv7';

/** A segment file, as one process keeps account of it. */
export interface Segment {
  /** A UUIDv7: names sort by age and are never used twice, so that a batch id names the same bytes for ever. */
  readonly id: string;
  readonly path: string;
  readonly openedAtMs: number;
  /** Whether its lines came from a process that died, and so may be damaged. */
  readonly recovered: boolean;
  /** Bytes of whole lines in the file. */
  bytes: number;
  /** Nothing more will be appended. */
  sealedAtMs: number | null;
  /** Everything before this offset is in a batch that was given to the queue. */
  shippedBytes: number;
  /** Batches of it that the worker has not reported as committed. */
  uncommittedBatches: number;
  /** Requests accepted here whose ending is not on disk. */
  openAccepts: number;
}

export const segmentSuffix = '.jsonl';

export function createSegment(options: Pick<Segment, 'id' | 'path' | 'openedAtMs' | 'recovered'>): Segment {
  return { ...options, bytes: 0, sealedAtMs: null, shippedBytes: 0, uncommittedBatches: 0, openAccepts: 0 };
}

/** Whether all endings in a sealed segment are in Postgres. Requests accepted in it may still be open. */
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
 * Appends to the newest segment file of a directory. One call at a time: the caller groups its lines.
 * Process death loses nothing that was written (the page cache outlives it), so there is no fsync: losing the
 * machine loses what was not yet shipped.
 */
export class SegmentWriter {
  #current: { readonly segment: Segment; readonly fd: number } | null = null;
  readonly #options: SegmentWriterOptions;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes whole lines and answers the segment they are in, and their length. After an error nothing of them counts: the segment
   * is cut back and sealed, and the next call starts another.
   */
  async append(bytes: Buffer): Promise<{ readonly segment: Segment; readonly bytes: number }> {
    const current = await this.#roomFor(bytes.length);
    try {
      writeWhole(current.fd, bytes);
    } catch (error) {
      // A torn line is tolerated by readers, so a cut that fails too does no harm.
      await truncateFile(current.fd, current.segment.bytes).catch(() => undefined);
      await this.seal();
      throw error;
    }
    current.segment.bytes += bytes.length;
    return { segment: current.segment, bytes: bytes.length };
  }

  /** The segment that would be written to next, if it is open. */
  get current(): Segment | null {
    return this.#current?.segment ?? null;
  }

  /** Ends the current segment. */
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
      // 0600: the log of requests is nobody else's.
      const fd = await openFile(path, 'ax', 0o600);
      this.#current = { fd, segment: createSegment({ id, path, openedAtMs: now(), recovered: false }) };
      onSegment(this.#current.segment);
    }
    return this.#current;
  }
}

/**
 * Into the page cache, at once: a group of lines takes a few microseconds there, a trip through the thread pool several
 * times that, and every request waits for one. The hazard: a disk so far behind that the kernel makes writers wait
 * (`vm.dirty_ratio`) holds the event loop up too. A spool's volume is not for anything else.
 */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length;) {
    offset += writeSync(fd, bytes, offset, bytes.length - offset, null);
  }
}
