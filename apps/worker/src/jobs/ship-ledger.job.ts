import type { LedgerEntryBatch } from '@gateway/contracts';
import { ledgerEntryBatch, ledgerEntryBatchOptions } from '@gateway/contracts';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Queue } from 'bullmq';
import { Rounds } from './rounds.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';
import type { Logger } from '@gateway/observability';
import type { Redis } from 'ioredis';

const everyMs = 250;
/** While the database or the queue is away. */
const awayMs = 2_000;

export interface ShipLedgerParts {
  readonly database: TelemetryDatabase;
  readonly queueRedis: Redis;
  /** Registers a listener for batches that billing has written. */
  readonly onLedgerCommitted: (listener: (batchIds: readonly string[]) => void) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Ships what is owed to billing's ledger, for as long as the application runs. */
export class ShipLedgerJob implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: ShipLedgerParts;
  readonly #queue: Queue<LedgerEntryBatch>;
  readonly #rounds = new Rounds(() => this.#ship());

  constructor(parts: ShipLedgerParts) {
    this.#parts = parts;
    this.#queue = new Queue(ledgerEntryBatch.queue, { connection: parts.queueRedis });
    // The connection's own listener reports what is wrong with Redis.
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
    // Commands would wait for Redis to come back, and the end of this process with them.
    if (queueRedis.status !== 'ready') return awayMs;
    try {
      await shipLedger(database, (batches) => this.#add(batches));
      return everyMs;
    } catch (error) {
      logger.warn({ err: error }, 'what is owed to the ledger was not queued; it is tried again');
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
      // They are queued again in time, and reported again.
      this.#parts.logger.warn({ err: error }, 'batches of the ledger are kept longer than they need be');
    }
  }
}

/** With so many batches in the queue no more are added: billing may be away for days, and the rest waits in Postgres. */
const shippedMax = 500;
const batchesAtOnce = 100;
/** A batch that was not reported as written for this long is queued again, under the same id. */
const resendAfterSeconds = 10;

/** Takes batches that are to be queued, each by one worker alone. Raw, since it is one statement. */
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

/** Queues a batch under its id; a second time it changes nothing while the first is still there. */
type QueueBatches = (batches: readonly OwedBatch[]) => Promise<void>;

/**
 * Queues what is owed to the ledger and not queued yet, or was queued too long ago. Answers how many batches that were.
 * Throws when the database or the queue is away; what was taken then is queued again in time.
 */
async function shipLedger(database: TelemetryDatabase, queue: QueueBatches): Promise<number> {
  const batches = await database.acrossAccounts.$queryRawUnsafe<OwedBatch[]>(takeBatches);
  if (batches.length > 0) await queue(batches);
  return batches.length;
}

/** Lets go of batches that billing has. */
async function forgetShipped(database: TelemetryDatabase, batchIds: readonly string[]): Promise<void> {
  await database.acrossAccounts.ledgerOutboxBatch.deleteMany({ where: { id: { in: [...batchIds] } } });
}
