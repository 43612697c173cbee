import type { LedgerEntryBatch } from '@gateway/contracts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

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

export interface OwedBatch extends LedgerEntryBatch {
  readonly id: string;
}

/** Queues a batch under its id; a second time it changes nothing while the first is still there. */
export type QueueBatches = (batches: readonly OwedBatch[]) => Promise<void>;

/**
 * Queues what is owed to the ledger and not queued yet, or was queued too long ago. Answers how many batches that were.
 * Throws when the database or the queue is away; what was taken then is queued again in time.
 */
export async function shipLedger(database: TelemetryDatabase, queue: QueueBatches): Promise<number> {
  const batches = await database.acrossAccounts.$queryRawUnsafe<OwedBatch[]>(takeBatches);
  if (batches.length > 0) await queue(batches);
  return batches.length;
}

/** Lets go of batches that billing has. */
export async function forgetShipped(database: TelemetryDatabase, batchIds: readonly string[]): Promise<void> {
  await database.acrossAccounts.ledgerOutboxBatch.deleteMany({ where: { id: { in: [...batchIds] } } });
}
