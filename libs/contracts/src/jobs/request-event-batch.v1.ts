import { z } from 'zod';
import { shippedRequestEventV1 } from '../events/request-event.v1.ts';
import { timestamp } from '../base/common.ts';
import { defineJob } from '../base/define.ts';

/** A batch of terminal events. The job's id is the batch's, so that a batch queued twice runs once. */
export const requestEventBatch = defineJob({
  queue: 'request-events',
  name: 'request-event-batch.v1',
  data: z.object({
    batchId: z.string().max(200),
    events: z.array(shippedRequestEventV1).min(1).max(1000),
    /** W3C traceparent of each event's request, by position; null where it was not sampled. */
    traceparents: z.array(z.string().nullable()),
  }),
});
export type RequestEventBatch = z.infer<typeof requestEventBatch.data>;

/**
 * How batches are queued. The worker tries one again for as long as its database is away. However a job ends, its id is
 * free again, so that the gateway can ship the same batch once more.
 */
export const requestEventBatchOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/** An event that could not be written, and why. Kept until somebody looks at it (`npm run dead-letters`). */
export const deadRequestEvent = defineJob({
  queue: 'request-events-dead',
  name: 'dead-request-event.v1',
  data: z.object({
    batchId: z.string(),
    event: z.unknown(),
    traceparent: z.string().nullable(),
    reason: z.string(),
    at: timestamp,
  }),
});
export type DeadRequestEvent = z.infer<typeof deadRequestEvent.data>;
