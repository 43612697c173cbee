import { z } from 'zod';
import { shippedRequestEventV1 } from '../events/request-event.v1.ts';
import { timestamp } from '../base/common.ts';
import { defineJob } from '../base/define.ts';

/** A batch of request events. The job id is the batch id, so a batch that is queued twice runs once. */
export const requestEventBatch = defineJob({
  queue: 'request-events',
  name: 'request-event-batch.v1',
  data: z.object({
    batchId: z.string().max(200),
    events: z.array(shippedRequestEventV1).min(1).max(1000),
    /**
     * One W3C traceparent per event, in the order of the events. Null if the request was not sampled.
     */
    traceparents: z.array(z.string().nullable()),
  }),
});
export type RequestEventBatch = z.infer<typeof requestEventBatch.data>;

/**
 * Options of the BullMQ queue for request events. The worker retries a batch while the worker's database is
 * unavailable. The queue deletes the job id of a finished job, so the gateway can send a batch a second time.
 */
export const requestEventBatchOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/**
 * A request event that could not be written, with the reason. The dead letter is kept until an operator
 * handles the event (`npm run dead-letters`).
 */
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
