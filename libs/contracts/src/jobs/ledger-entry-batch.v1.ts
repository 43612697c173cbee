import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { defineJob } from '../base/define.ts';

/**
 * The savings from one request, equal to the savings in the request's log entry. There is no ledger entry for
 * requests without savings.
 */
export const ledgerEntry = z.object({
  requestId: id,
  /** Time at which the request was accepted. */
  at: timestamp,
  accountId: id,
  keyId: id,
  estimatedTokensSaved: count,
  compressionTokensSaved: count,
  /**
   * Tokens used by recovery rounds, capped at the sum of the saved tokens. Workers from the previous release
   * omit `recoveryTokensDeducted`.
   */
  recoveryTokensDeducted: count.default(0),
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

/**
 * Savings for the requests in one transaction of the request log. The job id is the batch id, so a batch that
 * is queued twice is processed once.
 */
export const ledgerEntryBatch = defineJob({
  queue: 'ledger-entries',
  name: 'ledger-entry-batch.v1',
  data: z.object({ entries: z.array(ledgerEntry).min(1).max(1000) }),
});
export type LedgerEntryBatch = z.infer<typeof ledgerEntryBatch.data>;

/**
 * Options of the BullMQ queue for ledger entries. Billing retries a batch while the billing database is
 * unavailable. The queue deletes the job id of a finished job, so the same batch can be queued again.
 */
export const ledgerEntryBatchOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;
