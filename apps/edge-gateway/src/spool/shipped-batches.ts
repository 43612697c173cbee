import type { Segment } from './segment.ts';

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

/** The byte range of a batch in its segment. */
export interface BatchRange {
  readonly segment: Segment;
  readonly start: number;
  readonly end: number;
}

/** A batch that was delivered to the queue. */
export interface ShippedBatch extends BatchRange {
  readonly id: string;
  shippedAtMs: number;
  committedAtMs: number;
}

/** A worker's report of committed batches. */
export interface CommitReport {
  readonly batchIds: readonly string[];
  /**
   * The timeline of the Postgres server that stores the batches. A promotion of a standby increments the timeline. Null
   * if the worker cannot read the timeline.
   */
  readonly timeline: string | null;
}

export interface KeepingOptions {
  /**
   * How long a committed batch stays in the spool, in milliseconds. With asynchronous replication, a failover of
   * Postgres loses the newest commits.
   */
  readonly keepMs: number;
  /** Maximum number of bytes of committed batches. Older batches are released early. */
  readonly keepBytesMax: number;
}

/**
 * The batches that the spool must not delete yet. These batches are in flight, or were committed so recently that a
 * failover of Postgres may lose them. After a failover, the worker reports a newer timeline, and all kept batches
 * are in flight again.
 */
export class ShippedBatches {
  readonly #options: KeepingOptions;
  readonly #inFlight = new Map<string, ShippedBatch>();
  /** The committed batches, oldest commit first. */
  readonly #kept = new Map<string, ShippedBatch>();
  #inFlightBytes = 0;
  #keptBytes = 0;
  #timeline = '';

  constructor(options: KeepingOptions) {
    this.#options = options;
  }

  /** Number of batches that no worker has reported as committed. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  get inFlightBytes(): number {
    return this.#inFlightBytes;
  }

  /** Adds a batch that is about to be delivered. */
  add(id: string, range: BatchRange, shippedAtMs: number): void {
    this.#fly({ id, ...range, shippedAtMs, committedAtMs: 0 });
    range.segment.uncommittedBatches += 1;
  }

  /** Removes a batch that could not be delivered. */
  remove(id: string): void {
    const batch = this.#land(id);
    if (batch !== null) batch.segment.uncommittedBatches -= 1;
  }

  /** Returns the batches in flight that were shipped at the given time or earlier. */
  shippedUntil(ms: number): ShippedBatch[] {
    return [...this.#inFlight.values()].filter(({ shippedAtMs }) => shippedAtMs <= ms);
  }

  /** Whether the batch is still in flight. */
  has(id: string): boolean {
    return this.#inFlight.has(id);
  }

  /** Marks all batches in flight as overdue, because the queue may have lost them. */
  expireAll(): void {
    for (const batch of this.#inFlight.values()) batch.shippedAtMs = -Infinity;
  }

  /**
   * Handles a report. If the report names a newer timeline, all kept batches are shipped again. A report of an older
   * timeline was delayed until after a failover, so its batches are shipped again, too.
   */
  noteCommitted({ batchIds, timeline }: CommitReport, nowMs: number): void {
    if (timeline !== null && timeline > this.#timeline) {
      if (this.#timeline !== '') this.#reviveKept();
      this.#timeline = timeline;
    }
    const isStale = timeline !== null && timeline < this.#timeline;
    for (const id of batchIds) {
      if (isStale) this.#expire(id);
      else this.#keep(id, nowMs);
    }
    if (!isStale) this.#release((batch) => batch.committedAtMs + this.#options.keepMs <= nowMs);
  }

  /** Releases all kept batches, because the process ends. */
  releaseKept(): void {
    this.#release(() => true);
  }

  #fly(batch: ShippedBatch): void {
    this.#inFlight.set(batch.id, batch);
    this.#inFlightBytes += batch.end - batch.start;
  }

  #land(id: string): ShippedBatch | null {
    const batch = this.#inFlight.get(id);
    if (batch === undefined) return null;
    this.#inFlight.delete(id);
    this.#inFlightBytes -= batch.end - batch.start;
    return batch;
  }

  #expire(id: string): void {
    const batch = this.#inFlight.get(id);
    if (batch !== undefined) batch.shippedAtMs = -Infinity;
  }

  #keep(id: string, committedAtMs: number): void {
    const batch = this.#land(id);
    if (batch === null) return;
    this.#kept.set(id, { ...batch, committedAtMs });
    this.#keptBytes += batch.end - batch.start;
  }

  #reviveKept(): void {
    for (const batch of this.#kept.values()) this.#fly({ ...batch, shippedAtMs: -Infinity });
    this.#kept.clear();
    this.#keptBytes = 0;
  }

  /** Releases kept batches, oldest first, up to the first that must stay. */
  #release(isOver: (batch: ShippedBatch) => boolean): void {
    for (const batch of this.#kept.values()) {
      if (!isOver(batch) && this.#keptBytes <= this.#options.keepBytesMax) return;
      this.#kept.delete(batch.id);
      this.#keptBytes -= batch.end - batch.start;
      batch.segment.uncommittedBatches -= 1;
    }
  }
}
