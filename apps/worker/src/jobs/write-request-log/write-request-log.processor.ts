import { Job, Queue, Worker } from 'bullmq';
import { requestEventBatch } from '@gateway/contracts';
import { checkNoEviction } from '@gateway/messaging';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import type { BullmqDeadLetters } from './bullmq-dead-letters.adapter.ts';
import { DecisionMetrics } from './decision-metrics.ts';
import { createWriteRequestLogMetrics, type WriteRequestLogMetrics } from './write-request-log.metrics.ts';
import { addCacheMisses } from './add-cache-misses.ts';
import { PostgresRequestLogWriter } from './postgres-request-log-writer.adapter.ts';
import type { WriteRequestLogContext } from './write-request-log.ts';
import { writeRequestLog } from './write-request-log.ts';
import type { Partitions } from '../../persistence/partitions.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

/**
 * A queue worker that accepts jobs with invalid JSON. BullMQ parses a job's data before any other code runs. A job
 * with invalid JSON would cause an error in BullMQ and stall permanently. `LenientJob` returns invalid JSON as text,
 * so that the batch is rejected like any other invalid batch.
 */
class LenientJob extends Job<unknown> {
  static override fromJSON<T, R, N extends string>(
    ...[queue, json, jobId]: Parameters<typeof Job.fromJSON>
  ): Job<T, R, N> {
    try {
      return super.fromJSON<T, R, N>(queue, json, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return super.fromJSON<T, R, N>(
        queue,
        { ...json, data: JSON.stringify({ unreadable: json.data }) },
        jobId,
      );
    }
  }
}

class LenientWorker extends Worker<unknown, void> {
  protected override get Job(): typeof Job {
    // BullMQ's job type and this job type differ only in the type of the job data.
    return LenientJob as unknown as typeof Job;
  }
}

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
  readonly reportCommitted: (batchIds: string[]) => void;
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
    this.#reports = new CommitReports(parts.reportCommitted);
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
    this.#reports.flush();
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

/** Reports written batches to the gateways, with several batches per message. */
class CommitReports {
  readonly #broadcast: (batchIds: string[]) => void;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(broadcast: (batchIds: string[]) => void) {
    this.#broadcast = broadcast;
  }

  add(batchId: string): void {
    this.#waiting.push(batchId);
    if (this.#waiting.length >= batchIdsMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), reportDelayMs);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#waiting.length > 0) this.#broadcast(this.#waiting);
    this.#waiting = [];
  }
}
