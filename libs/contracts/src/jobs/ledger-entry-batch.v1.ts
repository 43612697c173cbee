import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { defineJob } from '../base/define.ts';

/** What one request saved, as its row of the log says: requests that saved nothing have none. */
export const ledgerEntry = z.object({
  requestId: id,
  /** When the request was accepted. */
  at: timestamp,
  accountId: id,
  keyId: id,
  estimatedTokensSaved: count,
  compressionTokensSaved: count,
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

/** What the requests of one transaction of the log saved. The job's id is the batch's, so that a batch queued twice runs once. */
export const ledgerEntryBatch = defineJob({
  queue: 'ledger-entries',
  name: 'ledger-entry-batch.v1',
  data: z.object({ entries: z.array(ledgerEntry).min(1).max(1000) }),
});
export type LedgerEntryBatch = z.infer<typeof ledgerEntryBatch.data>;

/**
 * How batches are queued. Billing tries one again for as long as its database is away. However a job ends, its id is free
 * again: a batch that was not reported as committed is queued once more.
 */
export const ledgerEntryBatchOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;
