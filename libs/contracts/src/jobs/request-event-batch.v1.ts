import { z } from 'zod';
import { shippedRequestEventV1 } from '../events/request-event.v1.ts';
import { defineJob } from '../define.ts';

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
