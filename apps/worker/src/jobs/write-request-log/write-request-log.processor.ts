import { requestEventBatch } from '@gateway/contracts';
import { checkNoEviction } from '@gateway/messaging';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Queue, type Job } from 'bullmq';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { BullmqDeadLetters } from './bullmq-dead-letters.adapter.ts';
import { CommitReports } from './commit-reports.ts';
import { DecisionMetrics } from './decision-metrics.ts';
import { LenientWorker } from './lenient-worker.ts';
import { PostgresRequestLogWriter } from './postgres-request-log-writer.adapter.ts';
import { createWriteRequestLogMetrics, type WriteRequestLogMetrics } from './write-request-log.metrics.ts';
import { writeRequestLog, type WriteRequestLogContext } from './write-request-log.ts';

/** Batches written at the same time. Each is one statement, so this is also how many connections they take. */
const concurrency = 4;
/** A batch whose worker died is taken up by another after this long, and at most as long again. */
const lockDurationMs = 5_000;
const queueDepthEveryMs = 5_000;

/** Takes batches from the queue for as long as the application runs. */
@Injectable()
export class WriteRequestLogProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #context: WorkerContext;
  readonly #job: WriteRequestLogContext;
  readonly #deadLetters: BullmqDeadLetters;
  readonly #reports: CommitReports;
  readonly #metrics: WriteRequestLogMetrics;
  readonly #queue: Queue;
  #worker: LenientWorker | null = null;
  #depthTimer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
    this.#deadLetters = new BullmqDeadLetters(context.queueRedis);
    this.#queue = new Queue(requestEventBatch.queue, { connection: context.queueRedis });
    // The connection's own listener reports what is wrong with Redis.
    this.#queue.on('error', () => undefined);
    this.#reports = new CommitReports(context.reportCommitted);
    this.#metrics = createWriteRequestLogMetrics(context.metrics);
    const writer = new PostgresRequestLogWriter(context.database, context.partitions);
    const { shadowAccounts } = context;
    const decisions = new DecisionMetrics(context.metrics);
    const onWritten = decisions.count.bind(decisions);
    this.#job = { writer, deadLetters: this.#deadLetters, now: Date.now, shadowAccounts, onWritten };
  }

  /**
   * Does not wait for Redis: queries are answered while it is away. One that evicts ends the process, as an error
   * that nobody catches.
   */
  onApplicationBootstrap(): void {
    void checkNoEviction(this.#context.queueRedis).then(
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
    await Promise.all([this.#deadLetters.close(), this.#queue.close()]);
  }

  #start(): void {
    if (this.#closed) return;
    this.#worker = new LenientWorker(requestEventBatch.queue, (job) => this.#write(job), {
      connection: this.#context.queueRedis,
      concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: lockDurationMs / 2,
      // A worker that is killed is not the batch's fault.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', (error) =>
      this.#context.logger.warn({ err: error }, 'taking batches from the queue failed'),
    );
    this.#worker.on('failed', (job, error) =>
      this.#context.logger.warn(
        { err: error, batch_id: job?.id, attempts: job?.attemptsMade },
        'a batch of request events was not written; it is tried again',
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
      this.#context.logger.error(
        { batch_id: batchId, dead },
        'request events could not be written: see `npm run dead-letters`',
      );
    }
  }

  async #measureDepth(): Promise<void> {
    try {
      const [counts, dead] = await Promise.all([
        this.#queue.getJobCounts('waiting', 'active', 'delayed'),
        this.#deadLetters.count(),
      ]);
      for (const [state, count] of Object.entries({ ...counts, dead }))
        this.#metrics.depth.set({ state }, count);
    } catch {
      // Redis is away: the gauges keep their last value, and readiness tells.
    }
  }
}
