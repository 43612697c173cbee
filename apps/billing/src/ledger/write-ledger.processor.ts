import type { LedgerEntry } from '@gateway/contracts';
import { ledgerEntryBatch } from '@gateway/contracts';
import { checkNoEviction } from '@gateway/messaging';
import type { Counter, Logger, Metrics } from '@gateway/observability';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Job } from 'bullmq';
import { Worker } from 'bullmq';
import { newId } from '@gateway/persistence';
import type { BillingDatabase } from '../persistence/billing-database.ts';
import type { Redis } from 'ioredis';

/** Batches written at the same time, each in one statement. */
const concurrency = 2;
/** A batch whose process died is taken up by another after this long, and at most as long again. */
const lockDurationMs = 5_000;

export interface WriteLedgerParts {
  readonly database: BillingDatabase;
  /** The queue's Redis. It may be unavailable, also at the start. */
  readonly queueRedis: Redis;
  /** Reports to the workers which batches of the ledger are in Postgres. */
  readonly reportCommitted: (batchIds: string[]) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Takes batches of the ledger from their queue for as long as the application runs. */
export class WriteLedgerProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: WriteLedgerParts;
  readonly #entries: Counter<'result'>;
  #worker: Worker<unknown, void> | null = null;
  #closed = false;

  constructor(parts: WriteLedgerParts) {
    this.#parts = parts;
    this.#entries = parts.metrics.counter({
      name: 'ledger_entries_total',
      help: 'Entries for the ledger by what became of them: written, repeated (there already) or refused.',
      labels: ['result'],
    });
  }

  /** Does not wait for Redis. One that evicts ends the process, as an error that nobody catches. */
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
    await this.#worker?.close();
  }

  #start(): void {
    if (this.#closed) return;
    const { queueRedis, logger } = this.#parts;
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
    const { database, logger, reportCommitted } = this.#parts;
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

/**
 * A request that the ledger has already changes nothing. Entries of a forgotten account are written under a pseudonym, which
 * nobody can trace back: it is made for this batch and kept nowhere else. In the order of their ids, so that two batches
 * never wait for each other's.
 */
const insert = `
  INSERT INTO ledger_entries
    (request_id, at, account_id, key_id, estimated_tokens_saved, compression_tokens_saved)
  SELECT entry."requestId", entry.at,
    CASE WHEN forgotten.account_id IS NULL THEN entry."accountId" ELSE $2::uuid END,
    CASE WHEN forgotten.account_id IS NULL THEN entry."keyId" END,
    entry."estimatedTokensSaved", entry."compressionTokensSaved"
  FROM json_to_recordset($1::json) AS entry (
    "requestId" uuid, at timestamptz, "accountId" uuid, "keyId" uuid,
    "estimatedTokensSaved" bigint, "compressionTokensSaved" bigint
  ) LEFT JOIN forgotten_accounts AS forgotten ON forgotten.account_id = entry."accountId"
  ORDER BY entry."requestId"
  ON CONFLICT (request_id) DO NOTHING`;

/** Writes entries to the ledger, all or none, and answers how many are new. May be given the same ones any number of times. */
function writeLedger(database: BillingDatabase, entries: readonly LedgerEntry[]): Promise<number> {
  return database.acrossAccounts.$executeRawUnsafe(insert, JSON.stringify(entries), newId());
}
