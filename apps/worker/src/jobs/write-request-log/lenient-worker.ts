import { Job, Worker } from 'bullmq';

/**
 * BullMQ parses a job's data before anybody sees the job. One whose data is not JSON would be taken, thrown at and
 * found stalled for ever; here its text comes through, to be refused like any other bad data.
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
    // Its construct signature is narrower than `typeof Job` by the type of data alone.
    return LenientJob as unknown as typeof Job;
  }
}
