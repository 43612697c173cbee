import { batchesCommitted } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { BatchCutter } from './batch-cutter.ts';
import type { EventQueue, SpoolLog } from './event-queue.port.ts';
import type { RequestSpool } from './request-spool.ts';
import type { Segment } from './segment.ts';

/** The part of messaging that the shipper listens to. */
export type CommitReports = Pick<Messaging, 'onBroadcast' | 'onReconnect'>;

export interface SpoolShipperOptions {
  readonly spool: RequestSpool;
  readonly queue: EventQueue;
  readonly messaging: CommitReports;
  readonly log: SpoolLog;
  readonly now?: () => number;
  /** Endings wait at most this long before they are shipped. */
  readonly intervalMs?: number;
  /** A batch that was not reported as committed for this long is added again, under the same id. */
  readonly resendAfterMs?: number;
  /** How much may be in the queue, uncommitted; the rest waits on disk. Bounds what one gateway takes of Redis. */
  readonly inFlightBytesMax?: number;
}

interface InFlightBatch {
  readonly segment: Segment;
  readonly start: number;
  readonly end: number;
  shippedAtMs: number;
}

/** How often directories of dead neighbours are looked for. */
const adoptEveryMs = 30_000;

/** Ships what the spool holds to the queue in batches, and releases what the worker reports as committed. */
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
    // Redis may have lost jobs, and reports may have passed unheard: everything in flight is shipped again.
    options.messaging.onReconnect(() => this.#resendAll());
    options.queue.onReady(() => this.#resendAll());
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.ship(), this.#options.intervalMs ?? 250);
  }

  /** Batches that the worker has not reported as committed. */
  get batchesInFlight(): number {
    return this.#inFlight.size;
  }

  /** One round: ships what is new, then what is overdue, then tidies the spool. Never throws. */
  ship(): Promise<void> {
    this.#running ??= this.#round().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Ships what is left and waits for it to be committed, at most `timeoutMs`. Then stops. */
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
      // The queue tells when it goes away, once; each round that fails is only a detail of that.
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
      this.#options.log.error({ err: error }, 'the spool could not be tidied');
    }
  }

  async #shipNew(): Promise<void> {
    for (const segment of this.#options.spool.segments()) {
      try {
        await this.#shipSegment(segment);
      } catch (error) {
        if (error instanceof QueueAway) throw error;
        // One file that can't be read must not hold up the others.
        if (!this.#unreadable.has(segment))
          this.#options.log.error({ segment: segment.path, err: error }, 'a spool segment could not be read');
        this.#unreadable.add(segment);
      }
    }
  }

  async #shipSegment(segment: Segment): Promise<void> {
    // What comes while this round ships waits for the next: batches are to be few and large.
    const until = segment.bytes;
    while (segment.shippedBytes < until) {
      if (this.#inFlightBytes >= (this.#options.inFlightBytesMax ?? 64 << 20)) return;
      const batch = await this.#cutter.cut(segment, segment.shippedBytes);
      if (batch.data !== null) await this.#add(batch.id, batch.data, { ...batch, segment });
      segment.shippedBytes = batch.end;
    }
  }

  async #add(id: string, data: Buffer, range: Omit<InFlightBatch, 'shippedAtMs'>): Promise<void> {
    // Noted first: the report may come before the queue's own answer does.
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
      await this.#options.queue.add(id, data);
    } catch (error) {
      this.#cutter.letGo();
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

/** The queue took no batch; it is tried again in the next round. */
class QueueAway extends Error {}
