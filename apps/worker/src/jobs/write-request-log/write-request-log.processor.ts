import { Queue, type Job } from 'bullmq';
import { requestEventBatch } from '@gateway/contracts';
import { checkNoEviction } from '@gateway/messaging';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import type { BullmqDeadLetters } from './bullmq-dead-letters.adapter.ts';
import { DecisionMetrics } from './decision-metrics.ts';
import { createWriteRequestLogMetrics, type WriteRequestLogMetrics } from './write-request-log.metrics.ts';
import { Rounds } from '../rounds.ts';
import { addCacheMisses } from './add-cache-misses.ts';
import { LenientWorker } from './parse-batch.ts';
import { PostgresRequestLogWriter } from './postgres-request-log-writer.adapter.ts';
import type { WriteRequestLogContext } from './write-request-log.ts';
import { writeRequestLog } from './write-request-log.ts';
import type { Partitions } from '../../persistence/partitions.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

/**
 * Number of batches processed concurrently. Each batch is written in one SQL statement, so each batch needs
 * only one database connection.
 */
const concurrency = 4;
/**
 * Delay before another worker takes over the batch of a stopped worker, in milliseconds. The detection of a stopped
 * worker takes up to five more seconds.
 */
const lockDurationMs = 5_000;
const queueDepthEveryMs = 5_000;

interface WriteRequestLogParts {
  readonly database: TelemetryDatabase;
  readonly partitions: Partitions;
  /** The connection to the queue's Redis server. The Redis server may be unavailable, even on startup. */
  readonly queueRedis: Redis;
  /** The queue of dead letters. The processor closes this queue when it stops. */
  readonly deadLetters: BullmqDeadLetters;
  /**
   * Accounts with shadow requests since their last calibration. The request log writer adds accounts to this
   * set.
   */
  readonly shadowAccounts: Set<string>;
  /** Reports written batches, together with the timeline of the database. The list of batches may be empty. */
  readonly reportCommitted: (report: { batchIds: string[]; timeline: string | null }) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Processes batches from the queue for as long as the application runs. */
export class WriteRequestLogProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: WriteRequestLogParts;
  readonly #job: WriteRequestLogContext;
  readonly #reports: CommitReports;
  readonly #metrics: WriteRequestLogMetrics;
  readonly #queue: Queue;
  #worker: LenientWorker | null = null;
  #depthTimer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(parts: WriteRequestLogParts) {
    this.#parts = parts;
    this.#queue = new Queue(requestEventBatch.queue, { connection: parts.queueRedis });
    // The Redis connection has a separate listener that reports Redis errors.
    this.#queue.on('error', () => undefined);
    this.#reports = new CommitReports(parts.reportCommitted, () => parts.database.readTimeline());
    this.#metrics = createWriteRequestLogMetrics(parts.metrics);
    const writer = new PostgresRequestLogWriter(parts.database, parts.partitions);
    const { shadowAccounts } = parts;
    const decisions = new DecisionMetrics(parts.metrics);
    const onWritten = decisions.count.bind(decisions);
    this.#job = {
      ...{ writer, deadLetters: parts.deadLetters, now: Date.now, shadowAccounts, onWritten },
      addCacheMisses: (events) => addCacheMisses(parts.database, events),
    };
  }

  /**
   * Starts without waiting for Redis, because queries work without Redis. If Redis is configured to evict
   * keys, an uncaught error ends the process.
   */
  onApplicationBootstrap(): void {
    void checkNoEviction(this.#parts.queueRedis).then(
      () => this.#start(),
      (error: unknown) => {
        if (!this.#closed) throw error;
      },
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.#closed = true;
    if (this.#depthTimer !== null) clearInterval(this.#depthTimer);
    await this.#worker?.close();
    await this.#reports.close();
    await Promise.all([this.#parts.deadLetters.close(), this.#queue.close()]);
  }

  #start(): void {
    if (this.#closed) return;
    this.#worker = new LenientWorker(requestEventBatch.queue, (job) => this.#write(job), {
      connection: this.#parts.queueRedis,
      concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: lockDurationMs / 2,
      // A batch that fails because its worker was killed does not count as failed.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', (error) =>
      this.#parts.logger.warn({ err: error }, 'processing batches of request events failed'),
    );
    this.#worker.on('failed', (job, error) =>
      this.#parts.logger.warn(
        { err: error, batch_id: job?.id, attempts: job?.attemptsMade },
        'writing a batch of request events failed, retrying',
      ),
    );
    this.#depthTimer = setInterval(() => void this.#measureDepth(), queueDepthEveryMs);
    this.#reports.start();
  }

  async #write(job: Job<unknown>): Promise<void> {
    const batchId = job.id ?? '';
    const startedAt = performance.now();
    const { written, repeated, dead } = await writeRequestLog(this.#job, batchId, job.data);
    this.#metrics.writeSeconds.observe((performance.now() - startedAt) / 1000);
    this.#reports.add(batchId);
    this.#metrics.events.inc({ result: 'written' }, written);
    this.#metrics.events.inc({ result: 'repeated' }, repeated);
    this.#metrics.events.inc({ result: 'dead' }, dead);
    this.#metrics.batchEvents.observe(written + repeated + dead);
    this.#metrics.lagSeconds.observe((Date.now() - job.timestamp) / 1000);
    if (dead > 0) {
      this.#parts.logger.error(
        { batch_id: batchId, dead },
        'some request events cannot be written: see `npm run dead-letters`',
      );
    }
  }

  async #measureDepth(): Promise<void> {
    try {
      const [counts, dead] = await Promise.all([
        this.#queue.getJobCounts('waiting', 'active', 'delayed'),
        this.#parts.deadLetters.count(),
      ]);
      for (const [state, count] of Object.entries({ ...counts, dead }))
        this.#metrics.depth.set({ state }, count);
    } catch {
      // If Redis is unavailable, the gauges keep their last values, and the readiness check reports the failure.
    }
  }
}

/** How long the ids of written batches are collected before one message reports them to the gateways, in milliseconds. */
const reportDelayMs = 10;
const batchIdsMax = 1000;

/** The time in milliseconds between two reports if no batches are written. */
const restMs = 2_000;
/** Maximum age of the timeline in a report, in milliseconds. */
const freshMs = 500;

/**
 * Reports written batches to the gateways, with several batches per message. Each report names the timeline of the
 * database server. After the promotion of a standby, the gateways send batches of the old timeline again.
 */
class CommitReports {
  readonly #broadcast: WriteRequestLogParts['reportCommitted'];
  readonly #readTimeline: () => Promise<string | null>;
  readonly #rounds = new Rounds(() => this.#report());
  #timeline: string | null = null;
  #readAtMs = -Infinity;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    broadcast: WriteRequestLogParts['reportCommitted'],
    readTimeline: () => Promise<string | null>,
  ) {
    this.#broadcast = broadcast;
    this.#readTimeline = readTimeline;
  }

  start(): void {
    this.#rounds.start(0);
  }

  add(batchId: string): void {
    this.#waiting.push(batchId);
    this.#timer ??= setTimeout(() => void this.#report(), reportDelayMs);
  }

  async close(): Promise<void> {
    await this.#rounds.close();
    await this.#report();
  }

  async #report(): Promise<number> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const isFresh = performance.now() - this.#readAtMs < freshMs;
    const timeline = isFresh ? this.#timeline : await this.#readTimeline();
    // Without the database, the timeline is unknown. The next report contains the batches.
    if (timeline === null && this.#timeline !== null) return restMs;
    if (!isFresh) this.#readAtMs = performance.now();
    // The batches may have been written before a change of the timeline, so they are reported with the old timeline.
    const known = this.#timeline ?? timeline;
    do this.#broadcast({ batchIds: this.#waiting.splice(0, batchIdsMax), timeline: known });
    while (this.#waiting.length > 0);
    if (timeline !== known) this.#broadcast({ batchIds: [], timeline });
    this.#timeline = timeline;
    return restMs;
  }
}
