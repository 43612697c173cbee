import { ledgerEntryBatch, ledgerEntryBatchOptions, type LedgerEntryBatch } from '@gateway/contracts';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Queue } from 'bullmq';
import { Rounds } from './rounds.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';
import type { Logger } from '@gateway/observability';
import type { Redis } from 'ioredis';

const everyMs = 250;
/** Delay before the next attempt while the database or the queue is unavailable, in milliseconds. */
const awayMs = 2_000;

export interface ShipLedgerParts {
  readonly database: TelemetryDatabase;
  readonly queueRedis: Redis;
  /** Registers a listener for reports of the ledger batches that billing has written. */
  readonly onLedgerCommitted: (listener: (batchIds: readonly string[]) => void) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Queues ledger entries for billing, for as long as the application runs. */
export class ShipLedgerJob implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: ShipLedgerParts;
  readonly #queue: Queue<LedgerEntryBatch>;
  readonly #rounds = new Rounds(() => this.#ship());

  constructor(parts: ShipLedgerParts) {
    this.#parts = parts;
    this.#queue = new Queue(ledgerEntryBatch.queue, { connection: parts.queueRedis });
    // The Redis connection has a separate listener that reports Redis errors.
    this.#queue.on('error', () => undefined);
    parts.onLedgerCommitted((batchIds) => void this.#forget(batchIds));
  }

  onApplicationBootstrap(): void {
    this.#rounds.start(everyMs);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#rounds.close();
    await this.#queue.close();
  }

  async #ship(): Promise<number> {
    const { database, queueRedis, logger } = this.#parts;
    // Without Redis, the code returns early, because a waiting Redis command would delay the exit of the process.
    if (queueRedis.status !== 'ready') return awayMs;
    try {
      await shipLedger(database, (batches) => this.#add(batches));
      return everyMs;
    } catch (error) {
      logger.warn({ err: error }, 'queueing ledger entries failed, retrying');
      return awayMs;
    }
  }

  async #add(batches: readonly OwedBatch[]): Promise<void> {
    await this.#queue.addBulk(
      batches.map(({ id, entries }) => ({
        name: ledgerEntryBatch.name,
        data: { entries },
        opts: { ...ledgerEntryBatchOptions, jobId: id },
      })),
    );
  }

  async #forget(batchIds: readonly string[]): Promise<void> {
    try {
      await forgetShipped(this.#parts.database, batchIds);
    } catch (error) {
      // If the queued ledger batches cannot be deleted, they are queued and reported again later.
      this.#parts.logger.warn({ err: error }, 'deleting queued ledger batches failed; they are kept longer');
    }
  }
}

/**
 * Maximum number of ledger batches in the queue. The billing service may be unavailable for days. Ledger batches
 * above the limit wait in Postgres.
 */
const shippedMax = 500;
const batchesAtOnce = 100;
/**
 * If a ledger batch is not reported as written within this number of seconds, it is queued again under the same
 * id.
 */
const resendAfterSeconds = 10;

/**
 * Claims ledger batches for queueing. Each ledger batch is claimed by only one worker. The claim uses raw
 * SQL, because it must be a single SQL statement.
 */
const takeBatches = `
  UPDATE ledger_outbox SET shipped_at = now()
  WHERE id IN (
    SELECT id FROM ledger_outbox
    WHERE shipped_at < now() - interval '${resendAfterSeconds} seconds'
      OR (shipped_at IS NULL
        AND (SELECT count(*) FROM ledger_outbox WHERE shipped_at IS NOT NULL) < ${shippedMax})
    ORDER BY id LIMIT ${batchesAtOnce} FOR UPDATE SKIP LOCKED
  )
  RETURNING id::text, entries`;

interface OwedBatch extends LedgerEntryBatch {
  readonly id: string;
}

/** Queues ledger batches under their ids. If a batch with this id is still in the queue, the call has no effect. */
type QueueBatches = (batches: readonly OwedBatch[]) => Promise<void>;

/**
 * Queues ledger batches that are not queued or were queued too long ago, and returns the number of queued batches.
 * Throws an error if the database or the queue is unavailable. After an error, a later run queues the ledger batches
 * that were already claimed.
 */
async function shipLedger(database: TelemetryDatabase, queue: QueueBatches): Promise<number> {
  const batches = await database.acrossAccounts.$queryRawUnsafe<OwedBatch[]>(takeBatches);
  if (batches.length > 0) await queue(batches);
  return batches.length;
}

/** Deletes ledger batches that billing has written. */
async function forgetShipped(database: TelemetryDatabase, batchIds: readonly string[]): Promise<void> {
  await database.acrossAccounts.ledgerOutboxBatch.deleteMany({ where: { id: { in: [...batchIds] } } });
}
