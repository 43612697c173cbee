import { createHash } from 'node:crypto';
import { deadRequestEvent, type DeadRequestEvent } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DeadLetters } from './write-request-log.ts';

/**
 * Maximum number of dead letters (events that cannot be written to the request log). The oldest dead
 * letters above the maximum are deleted, because many dead letters usually share one cause.
 */
const lettersMax = 100_000;
/** Number of dead letters per read. A dead letter takes about 4 kB. */
const lettersAtOnce = 500;

/** The queue of dead letters, which only `npm run dead-letters` reads. */
export class BullmqDeadLetters implements DeadLetters {
  readonly #redis: Redis;
  readonly #queue: Queue<DeadRequestEvent>;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#queue = new Queue(deadRequestEvent.queue, { connection: redis });
    this.#queue.on('error', () => undefined);
  }

  async add(letters: readonly DeadRequestEvent[]): Promise<void> {
    await this.#queue.addBulk(
      letters.map((data) => ({ name: deadRequestEvent.name, data, opts: { jobId: letterId(data) } })),
    );
    const tooMany = (await this.#queue.getWaitingCount()) - lettersMax;
    if (tooMany <= 0) return;
    const oldest = await this.#queue.getWaiting(0, tooMany - 1);
    await Promise.all(oldest.map((letter) => letter.remove()));
  }

  async removeOf(accountId: string): Promise<void> {
    // If Redis is unavailable, the code throws an error, because a Redis command could wait for days.
    if (this.#redis.status !== 'ready')
      throw new GatewayError('service_unavailable', { detail: 'the queue is unavailable' });
    for (let end = await this.#queue.getWaitingCount(); end > 0; end -= lettersAtOnce) {
      // The loop starts at the end of the queue, so that a removal does not move the unread dead letters.
      const letters = await this.#queue.getWaiting(Math.max(0, end - lettersAtOnce), end - 1);
      const ofAccount = letters.filter(({ data }) => accountOf(data.event) === accountId);
      await Promise.all(ofAccount.map((letter) => letter.remove()));
    }
  }

  count(): Promise<number> {
    return this.#queue.getWaitingCount();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

function accountOf(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'accountId' in event ? event.accountId : undefined;
}

/** The id of a dead letter depends only on the event and its batch, so that a retry stores no duplicate. */
function letterId({ batchId, event }: DeadRequestEvent): string {
  return `dead-${createHash('sha256')
    .update(`${batchId}\n${JSON.stringify(event)}`)
    .digest('hex')
    .slice(0, 32)}`;
}
