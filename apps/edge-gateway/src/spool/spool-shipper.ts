import { batchesCommitted } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { failpoint } from '@gateway/observability';
import { BatchCutter } from './batch-cutter.ts';
import type { EventQueue, SpoolLog } from './event-queue.port.ts';
import type { RequestSpool } from './request-spool.ts';
import type { Segment } from './segment.ts';

/** The messaging functions that receive reports of committed batches. */
export type CommitReports = Pick<Messaging, 'onBroadcast' | 'onReconnect'>;

export interface SpoolShipperOptions {
  readonly spool: RequestSpool;
  readonly queue: EventQueue;
  readonly messaging: CommitReports;
  readonly log: SpoolLog;
  readonly now?: () => number;
  /** Maximum time in milliseconds before an end line is shipped. */
  readonly intervalMs?: number;
  /** Time in milliseconds after which an uncommitted batch is added to the queue again, with the same id. */
  readonly resendAfterMs?: number;
  /**
   * Maximum number of uncommitted bytes in the queue, which limits the Redis memory that one gateway uses. Further
   * events stay on disk until batches are committed.
   */
  readonly inFlightBytesMax?: number;
}

interface InFlightBatch {
  readonly segment: Segment;
  readonly start: number;
  readonly end: number;
  shippedAtMs: number;
}

/** Interval in milliseconds at which the spool searches for directories left by dead processes. */
const adoptEveryMs = 30_000;

/**
 * Ships spooled lines to the queue in batches. The shipper releases a batch when the worker reports the batch
 * as committed.
 */
export class SpoolShipper {
  readonly #options: SpoolShipperOptions;
  readonly #now: () => number;
  readonly #cutter = new BatchCutter();
  readonly #unreadable = new WeakSet<Segment>();
  readonly #inFlight = new Map<string, InFlightBatch>();
  #inFlightBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #lastAdoptionMs: number;

  constructor(options: SpoolShipperOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#lastAdoptionMs = this.#now();
    options.messaging.onBroadcast(batchesCommitted, ({ batchIds }) => this.#noteCommitted(batchIds));
    // Redis may have lost jobs, and this process may have missed reports of committed batches.
    // After an outage, all batches without a commit report are shipped a second time.
    options.messaging.onReconnect(() => this.#resendAll());
    options.queue.onReady(() => this.#resendAll());
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.ship(), this.#options.intervalMs ?? 250);
  }

  /** Number of batches that the worker has not reported as committed. */
  get batchesInFlight(): number {
    return this.#inFlight.size;
  }

  /** Ships new lines, then overdue batches, and then deletes committed segments. The method never throws. */
  ship(): Promise<void> {
    this.#running ??= this.#round().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Ships the remaining lines, waits up to `timeoutMs` until they are committed, and stops. */
  async close(timeoutMs = 2000): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    const deadline = this.#now() + timeoutMs;
    do {
      await this.ship();
      if (this.#inFlight.size === 0 && !this.#hasUnshipped()) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    } while (this.#now() < deadline);
  }

  async #round(): Promise<void> {
    try {
      await this.#shipNew();
      await this.#shipOverdue();
    } catch (error) {
      // The shipper does not log queue failures, because the queue logs each outage once.
      if (!(error instanceof QueueAway))
        this.#options.log.error({ err: error }, 'request events could not be shipped');
    }
    try {
      await this.#options.spool.tidy();
      if (this.#now() - this.#lastAdoptionMs >= adoptEveryMs) {
        this.#lastAdoptionMs = this.#now();
        await this.#options.spool.adoptOrphans();
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'old spool segments could not be deleted');
    }
  }

  async #shipNew(): Promise<void> {
    for (const segment of this.#options.spool.segments()) {
      try {
        await this.#shipSegment(segment);
      } catch (error) {
        if (error instanceof QueueAway) throw error;
        // An unreadable file must not block the other files.
        if (!this.#unreadable.has(segment))
          this.#options.log.error({ segment: segment.path, err: error }, 'a spool segment could not be read');
        this.#unreadable.add(segment);
      }
    }
  }

  async #shipSegment(segment: Segment): Promise<void> {
    // Lines that are written during this run are shipped by the next run, so that batches are few and large.
    const until = segment.bytes;
    while (segment.shippedBytes < until) {
      if (this.#inFlightBytes >= (this.#options.inFlightBytesMax ?? 64 << 20)) return;
      const batch = await this.#cutter.cut(segment, segment.shippedBytes);
      if (batch.data !== null) await this.#add(batch.id, batch.data, { ...batch, segment });
      segment.shippedBytes = batch.end;
    }
  }

  async #add(id: string, data: Buffer, range: Omit<InFlightBatch, 'shippedAtMs'>): Promise<void> {
    // The batch is recorded before delivery, because the worker may report its commit before the queue responds.
    this.#inFlight.set(id, {
      segment: range.segment,
      start: range.start,
      end: range.end,
      shippedAtMs: this.#now(),
    });
    this.#inFlightBytes += range.end - range.start;
    range.segment.uncommittedBatches += 1;
    try {
      await this.#hand(id, data);
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  async #hand(id: string, data: Buffer): Promise<void> {
    try {
      FAILPOINT: failpoint('spool-ship');
      await this.#options.queue.add(id, data);
    } catch (error) {
      this.#cutter.replaceBuffer();
      throw new QueueAway('the queue took no batch', { cause: error });
    }
  }

  async #shipOverdue(): Promise<void> {
    const before = this.#now() - (this.#options.resendAfterMs ?? 30_000);
    for (const [id, batch] of [...this.#inFlight]) {
      if (batch.shippedAtMs > before || !this.#inFlight.has(id)) continue;
      const { data } = await this.#cutter.cut(batch.segment, batch.start, batch.end);
      if (data === null) continue;
      await this.#hand(id, data);
      batch.shippedAtMs = this.#now();
    }
  }

  #noteCommitted(batchIds: readonly string[]): void {
    for (const id of batchIds) this.#forget(id);
  }

  #forget(id: string): void {
    const batch = this.#inFlight.get(id);
    if (batch === undefined) return;
    this.#inFlight.delete(id);
    this.#inFlightBytes -= batch.end - batch.start;
    batch.segment.uncommittedBatches -= 1;
  }

  #resendAll(): void {
    for (const batch of this.#inFlight.values()) batch.shippedAtMs = -Infinity;
  }

  #hasUnshipped(): boolean {
    return this.#options.spool.segments().some((segment) => segment.shippedBytes < segment.bytes);
  }
}

/**
 * The error that is thrown if the queue rejected the batch. The next run of the shipper sends the rejected
 * batch again.
 */
class QueueAway extends Error {}
