import { requestEventBatch, requestEventBatchOptions } from '@gateway/contracts';
import { Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { EventQueue, SpoolLog } from './event-queue.port.ts';

/** Job data that has already been encoded as UTF-8 JSON text. */
class RenderedData {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  toJSON(): null {
    return null;
  }
}

/**
 * BullMQ renders job data with `JSON.stringify`. A batch is already JSON text in the segment file, and
 * parsing and rendering it again would be most of the cost of recording. The bytes are also sent to Redis
 * unchanged, because a string of several megabytes would be measured three times and encoded once. A test
 * verifies that BullMQ accepts this.
 */
class RenderedJob extends Job<RenderedData> {
  override asJSON(): ReturnType<Job['asJSON']> {
    // BullMQ passes this value unchanged to ioredis, which accepts both types.
    return { ...super.asJSON(), data: this.data.bytes as unknown as string };
  }
}

class RenderedQueue extends Queue<RenderedData> {
  protected override get Job(): typeof Job {
    return RenderedJob as unknown as typeof Job;
  }
}

/** The BullMQ queue for request events, on the queue's Redis (`noeviction`). */
export function openBullmqEventQueue(redisUrl: string, log: SpoolLog): EventQueue {
  // Commands fail immediately while Redis is unavailable, because the spool buffers the events.
  const redis = new Redis(redisUrl, {
    maxRetriesPerRequest: null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    commandTimeout: 10_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
  const queue = new RenderedQueue(requestEventBatch.queue, {
    connection: redis,
    defaultJobOptions: requestEventBatchOptions,
  });
  let away = false;
  const noteError = (error: Error): void => {
    if (!away) log.warn({ err: error }, 'the request event queue is unavailable; events stay in the spool');
    away = true;
  };
  redis.on('error', noteError);
  redis.on('ready', () => (away = false));
  queue.on('error', noteError);
  return {
    add: async (batchId, data) => {
      if (redis.status !== 'ready') throw new Error(`the connection to Redis is ${redis.status}`);
      await queue.add(requestEventBatch.name, new RenderedData(data), { jobId: batchId });
    },
    onReady: (listener) => void redis.on('ready', listener),
    close: async () => {
      await queue.close();
      redis.disconnect();
    },
  };
}
