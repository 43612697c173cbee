import { requestEventBatch, requestEventBatchOptions } from '@gateway/contracts';
import { openRedis } from '@gateway/messaging';
import { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { EventQueue, SpoolLog } from './shipped-batches.ts';

/** Job data that is already encoded as UTF-8 JSON text. */
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
 * A queue job with data that is already rendered as JSON. BullMQ itself would render job data with
 * `JSON.stringify`. Batches in the segment file are already JSON text. Parsing and rendering each batch again would
 * take most of the recording time. The adapter sends the bytes of a batch to Redis unchanged. The Redis client
 * would measure a string of several megabytes three times and encode it once. A test verifies that BullMQ accepts
 * job data as bytes.
 */
class RenderedJob extends Job<RenderedData> {
  override asJSON(): ReturnType<Job['asJSON']> {
    // BullMQ passes the job data unchanged to ioredis, which accepts both strings and bytes.
    return { ...super.asJSON(), data: this.data.bytes as unknown as string };
  }
}

class RenderedQueue extends Queue<RenderedData> {
  protected override get Job(): typeof Job {
    return RenderedJob as unknown as typeof Job;
  }
}

/**
 * The share of Redis's memory that request events may fill. Workers need the rest of Redis's memory to empty
 * the queue. BullMQ's scripts write to Redis when they take a job, and Redis rejects writes while its memory
 * is full.
 */
const filledShareMax = 0.85;
/** How long a measurement of memory use stays valid, in milliseconds. */
const memoryReadMs = 200;

/** Measures the share of Redis's memory that is in use. */
class MemoryWatch {
  readonly #redis: Pick<Redis, 'info'>;
  readonly #log: SpoolLog;
  #readAt = -Infinity;
  #freeBytes = Infinity;
  #isFull = false;

  constructor(redis: Pick<Redis, 'info'>, log: SpoolLog) {
    this.#redis = redis;
    this.#log = log;
  }

  /**
   * Throws an error if the given number of bytes exceeds the queue's share of memory. Never throws if Redis has no
   * memory limit.
   */
  async reserve(bytes: number): Promise<void> {
    if (performance.now() - this.#readAt >= memoryReadMs) await this.#read();
    const wasFull = this.#isFull;
    this.#isFull = bytes > this.#freeBytes;
    if (!this.#isFull) {
      this.#freeBytes -= bytes;
      return;
    }
    if (!wasFull) this.#log.warn({}, 'the memory of the queue is nearly full; events stay in the spool');
    throw new Error('the memory of Redis is nearly full');
  }

  async #read(): Promise<void> {
    const info = await this.#redis.info('memory');
    const max = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? 0);
    const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1] ?? 0);
    this.#freeBytes = max === 0 ? Infinity : max * filledShareMax - used;
    this.#readAt = performance.now();
  }
}

/**
 * Opens the BullMQ queue for request events, on the Redis server for queues (`noeviction`). When the memory of
 * Redis is nearly full, the queue accepts no more events. Rejected events stay in the spool until workers have
 * emptied the queue.
 */
export function openBullmqEventQueue(redisUrl: string, log: SpoolLog): EventQueue {
  // Commands fail immediately while Redis is unavailable, because the spool buffers the events.
  const redis = openRedis(redisUrl, {
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
  const memory = new MemoryWatch(redis, log);
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
      await memory.reserve(data.length);
      await queue.add(requestEventBatch.name, new RenderedData(data), { jobId: batchId });
    },
    onReady: (listener) => void redis.on('ready', listener),
    close: async () => {
      await queue.close();
      redis.disconnect();
    },
  };
}
