import { batchesCommitted } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { failpoint } from '@gateway/observability';
import { BatchCutter } from './batch-cutter.ts';
import type { RequestSpool } from './request-spool.ts';
import type { Segment } from './segment.ts';
import { ShippedBatches, type BatchRange, type EventQueue, type SpoolLog } from './shipped-batches.ts';

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
  /** How long committed batches stay in the spool, in milliseconds. By default, they are deleted immediately. */
  readonly keepMs?: number;
  /** Maximum number of bytes of committed batches in the spool. */
  readonly keepBytesMax?: number;
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
  readonly #shipped: ShippedBatches;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #lastAdoptionMs: number;

  constructor(options: SpoolShipperOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#lastAdoptionMs = this.#now();
    const { keepMs = 0, keepBytesMax = Infinity } = options;
    this.#shipped = new ShippedBatches({ keepMs, keepBytesMax });
    options.messaging.onBroadcast(batchesCommitted, (report) =>
      this.#shipped.noteCommitted(report, this.#now()),
    );
    // Redis may have lost jobs, and this process may have missed reports of committed batches.
    // After an outage, all batches without a commit report are shipped a second time.
    options.messaging.onReconnect(() => this.#shipped.expireAll());
    options.queue.onReady(() => this.#shipped.expireAll());
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.ship(), this.#options.intervalMs ?? 250);
  }

  /** Number of batches that the worker has not reported as committed. */
  get batchesInFlight(): number {
    return this.#shipped.inFlight;
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
      if (this.#shipped.inFlight === 0 && !this.#hasUnshipped()) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    } while (this.#now() < deadline);
    this.#shipped.releaseKept();
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
      if (this.#shipped.inFlightBytes >= (this.#options.inFlightBytesMax ?? 64 << 20)) return;
      const batch = await this.#cutter.cut(segment, segment.shippedBytes);
      if (batch.data !== null) await this.#add(batch.id, batch.data, { ...batch, segment });
      segment.shippedBytes = batch.end;
    }
  }

  async #add(id: string, data: Buffer, range: BatchRange): Promise<void> {
    // The batch is recorded before delivery, because the worker may report its commit before the queue responds.
    this.#shipped.add(id, range, this.#now());
    try {
      await this.#hand(id, data);
    } catch (error) {
      this.#shipped.remove(id);
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
    for (const batch of this.#shipped.shippedUntil(before)) {
      if (!this.#shipped.has(batch.id)) continue;
      const { data } = await this.#cutter.cut(batch.segment, batch.start, batch.end);
      if (data === null) continue;
      await this.#hand(batch.id, data);
      batch.shippedAtMs = this.#now();
    }
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
