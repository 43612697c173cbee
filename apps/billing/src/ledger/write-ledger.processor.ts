import { ledgerEntryBatch, type LedgerEntry } from '@gateway/contracts';
import { checkNoEviction } from '@gateway/messaging';
import type { Counter, Logger, Metrics } from '@gateway/observability';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Worker, type Job } from 'bullmq';
import { newId } from '@gateway/persistence';
import type { BillingDatabase } from '../persistence/billing-database.ts';
import type { Redis } from 'ioredis';

/**
 * Number of ledger batches that are processed concurrently. Each ledger batch is written in one SQL
 * statement.
 */
const concurrency = 2;
/**
 * If a process dies, another process takes over its ledger batch after this number of milliseconds. Detecting
 * that the process is dead takes up to five more seconds.
 */
const lockDurationMs = 5_000;

export interface WriteLedgerParts {
  readonly database: BillingDatabase;
  /** The Redis server of the job queue. Redis may be unavailable, even on startup. */
  readonly queueRedis: Redis;
  /** Reports to the workers which ledger batches are stored in Postgres. */
  readonly reportCommitted: (batchIds: string[]) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Processes ledger batches from their job queue for as long as the application runs. */
export class WriteLedgerProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: WriteLedgerParts;
  readonly #entries: Counter<'result'>;
  #worker: Worker<unknown, void> | null = null;
  #closed = false;

  constructor(parts: WriteLedgerParts) {
    this.#parts = parts;
    this.#entries = parts.metrics.counter({
      name: 'ledger_entries_total',
      help: 'Ledger entries by result: written, repeated (already stored) or refused.',
      labels: ['result'],
    });
  }

  /**
   * Starts the processing of ledger batches without waiting for Redis. If Redis is configured to evict keys,
   * an uncaught error ends the process.
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
      // A ledger batch does not count as failed if its process was killed.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', (error) => logger.warn({ err: error }, 'processing ledger batches failed'));
    this.#worker.on('failed', (job, error) =>
      logger.warn(
        { err: error, batch_id: job?.id, attempts: job?.attemptsMade },
        'writing a ledger batch failed, retrying',
      ),
    );
  }

  async #write(job: Job<unknown>): Promise<void> {
    const { database, logger, reportCommitted } = this.#parts;
    const batch = ledgerEntryBatch.data.safeParse(job.data);
    if (!batch.success) {
      // The processor reports only valid batches as written.
      // The worker keeps a batch that is not reported as written, until a newer release can parse the batch.
      this.#entries.inc({ result: 'refused' });
      logger.error(
        { batch_id: job.id, issues: batch.error.issues.length },
        'ledger batch refused: invalid data',
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
 * Inserts ledger entries. Requests that the ledger already contains are skipped. Entries of a deleted account
 * get a new pseudonym for each batch, which is stored only in these entries. Rows are sorted by request id, so
 * that two batches never deadlock.
 */
const insert = `
  INSERT INTO ledger_entries
    (request_id, at, account_id, key_id, estimated_tokens_saved, compression_tokens_saved, recovery_tokens_deducted)
  SELECT entry."requestId", entry.at,
    CASE WHEN forgotten.account_id IS NULL THEN entry."accountId" ELSE $2::uuid END,
    CASE WHEN forgotten.account_id IS NULL THEN entry."keyId" END,
    entry."estimatedTokensSaved", entry."compressionTokensSaved", entry."recoveryTokensDeducted"
  FROM json_to_recordset($1::json) AS entry (
    "requestId" uuid, at timestamptz, "accountId" uuid, "keyId" uuid,
    "estimatedTokensSaved" bigint, "compressionTokensSaved" bigint, "recoveryTokensDeducted" bigint
  ) LEFT JOIN forgotten_accounts AS forgotten ON forgotten.account_id = entry."accountId"
  ORDER BY entry."requestId"
  ON CONFLICT (request_id) DO NOTHING`;

/**
 * Writes either all ledger entries or none, and returns the number of new entries. A call may safely be
 * repeated with the same entries.
 */
function writeLedger(database: BillingDatabase, entries: readonly LedgerEntry[]): Promise<number> {
  return database.acrossAccounts.$executeRawUnsafe(insert, JSON.stringify(entries), newId());
}
