import { Job, Worker } from 'bullmq';

/**
 * A worker that accepts invalid JSON. BullMQ parses a job's data before any other code runs, and invalid JSON
 * would make it throw and stall the job permanently. This worker passes invalid JSON on as text, so that the
 * batch is rejected like other invalid data.
 */
class LenientJob extends Job<unknown> {
  static override fromJSON<T, R, N extends string>(
    ...[queue, json, jobId]: Parameters<typeof Job.fromJSON>
  ): Job<T, R, N> {
    try {
      return super.fromJSON<T, R, N>(queue, json, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return super.fromJSON<T, R, N>(
        queue,
        { ...json, data: JSON.stringify({ unreadable: json.data }) },
        jobId,
      );
    }
  }
}

export class LenientWorker extends Worker<unknown, void> {
  protected override get Job(): typeof Job {
    // Both types are identical except for the type of the data.
    return LenientJob as unknown as typeof Job;
  }
}
