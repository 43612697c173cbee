import { ledgerEntryBatch } from '@gateway/contracts';
import { checkNoEviction } from '@gateway/messaging';
import type { Counter } from '@gateway/observability';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Worker, type Job } from 'bullmq';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { writeLedger } from './write-ledger.ts';

/** Batches written at the same time, each in one statement. */
const concurrency = 2;
/** A batch whose process died is taken up by another after this long, and at most as long again. */
const lockDurationMs = 5_000;

/** Takes batches of the ledger from their queue for as long as the application runs. */
@Injectable()
export class WriteLedgerProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #context: BillingContext;
  readonly #entries: Counter<'result'>;
  #worker: Worker<unknown, void> | null = null;
  #closed = false;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
    this.#entries = context.metrics.counter({
      name: 'ledger_entries_total',
      help: 'Entries for the ledger by what became of them: written, repeated (there already) or refused.',
      labels: ['result'],
    });
  }

  /** Does not wait for Redis. One that evicts ends the process, as an error that nobody catches. */
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
    await this.#worker?.close();
  }

  #start(): void {
    if (this.#closed) return;
    const { queueRedis, logger } = this.#context;
    this.#worker = new Worker<unknown, void>(ledgerEntryBatch.queue, (job) => this.#write(job), {
      connection: queueRedis,
      concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: lockDurationMs / 2,
      // A process that is killed is not the batch's fault.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', (error) => logger.warn({ err: error }, 'taking batches of the ledger failed'));
    this.#worker.on('failed', (job, error) =>
      logger.warn(
        { err: error, batch_id: job?.id, attempts: job?.attemptsMade },
        'a batch of the ledger was not written; it is tried again',
      ),
    );
  }

  async #write(job: Job<unknown>): Promise<void> {
    const { database, logger, reportCommitted } = this.#context;
    const batch = ledgerEntryBatch.data.safeParse(job.data);
    if (!batch.success) {
      // Not reported, so the worker keeps it: a release that understands it writes it.
      this.#entries.inc({ result: 'refused' });
      logger.error(
        { batch_id: job.id, issues: batch.error.issues.length },
        'a batch of the ledger is refused',
      );
      return;
    }
    const { entries } = batch.data;
    const written = await writeLedger(database, entries);
    this.#entries.inc({ result: 'written' }, written);
    this.#entries.inc({ result: 'repeated' }, entries.length - written);
    reportCommitted([job.id ?? '']);
  }
}
