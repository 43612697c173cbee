import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { defineJob } from '../base/define.ts';

/**
 * The savings of one request, equal to those of its log entry. Requests without savings have no ledger entry.
 */
export const ledgerEntry = z.object({
  requestId: id,
  /** Time at which the request was accepted. */
  at: timestamp,
  accountId: id,
  keyId: id,
  estimatedTokensSaved: count,
  compressionTokensSaved: count,
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

/**
 * The savings of the requests in one transaction of the log. The job id is the batch id, so a batch that is
 * queued twice runs once.
 */
export const ledgerEntryBatch = defineJob({
  queue: 'ledger-entries',
  name: 'ledger-entry-batch.v1',
  data: z.object({ entries: z.array(ledgerEntry).min(1).max(1000) }),
});
export type LedgerEntryBatch = z.infer<typeof ledgerEntryBatch.data>;

/**
 * Queue options. Billing retries a batch while its database is unavailable. A job id is free again after the
 * job ends, so a batch that is not reported as committed is queued again.
 */
export const ledgerEntryBatchOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;
