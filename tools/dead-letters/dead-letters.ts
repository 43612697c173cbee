import {
  deadRequestEvent,
  requestEventBatch,
  requestEventBatchOptions,
  type DeadRequestEvent,
} from '@gateway/contracts';
import { openRedis } from '@gateway/messaging';
import { Queue } from 'bullmq';

/** One dead letter in the list. A dead letter is a batch of events that could not be written. */
export interface DeadLetter {
  readonly id: string;
  readonly data: DeadRequestEvent;
}

export interface DeadLetterBox {
  count(): Promise<number>;
  /** Returns dead letters, oldest first. */
  list(limit: number): Promise<DeadLetter[]>;
  /**
   * Puts dead letters back into the queue of usage events, each as a separate batch. If no ids are given, all
   * dead letters are put back into the queue. Returns the number of queued dead letters.
   */
  retry(ids?: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

const pageLetters = 500;

/**
 * Connects to the list of dead letters on the queue's Redis server. A dead letter contains usage events that
 * could not be written to Postgres.
 */
export function openDeadLetters(redisUrl: string): DeadLetterBox {
  const connection = openRedis(redisUrl, { maxRetriesPerRequest: null });
  const dead = new Queue<DeadRequestEvent>(deadRequestEvent.queue, { connection });
  const events = new Queue(requestEventBatch.queue, { connection });

  const list = async (limit: number): Promise<DeadLetter[]> => {
    const jobs = await dead.getWaiting(0, limit - 1);
    return jobs.map((job) => ({ id: job.id ?? '', data: job.data }));
  };
  const retryOne = async ({ id, data }: DeadLetter): Promise<void> => {
    // Each retry gets a different batch id.
    // If the event fails again, the new dead letter needs a different id from the removed dead letter.
    const batchId = `retry-${id}-${Date.now()}`;
    const batch = { batchId, events: [data.event], traceparents: [data.traceparent] };
    await events.add(requestEventBatch.name, batch, { ...requestEventBatchOptions, jobId: batchId });
    await dead.remove(id);
  };
  return {
    count: () => dead.getWaitingCount(),
    list,
    retry: async (ids) => {
      if (ids === undefined) return retryAll(list, retryOne, await dead.getWaitingCount());
      for (const id of ids) await retryOne(await letterOf(dead, id));
      return ids.length;
    },
    close: async () => {
      await Promise.all([dead.close(), events.close()]);
      connection.disconnect();
    },
  };
}

/**
 * Retries only the dead letters that exist when the retry starts. An event that fails again becomes a new dead
 * letter at the end of the list.
 */
async function retryAll(
  list: (limit: number) => Promise<DeadLetter[]>,
  retryOne: (letter: DeadLetter) => Promise<void>,
  lettersMax: number,
): Promise<number> {
  let retried = 0;
  while (retried < lettersMax) {
    const page = await list(Math.min(lettersMax - retried, pageLetters));
    if (page.length === 0) break;
    for (const letter of page) await retryOne(letter);
    retried += page.length;
  }
  return retried;
}

async function letterOf(dead: Queue<DeadRequestEvent>, id: string): Promise<DeadLetter> {
  const job = await dead.getJob(id);
  if (job === undefined) throw new Error(`There is no dead letter ${id}.`);
  return { id, data: job.data };
}
