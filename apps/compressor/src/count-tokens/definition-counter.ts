import { hash } from 'node:crypto';
import { FairQueue, type FairQueueOptions } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { CountingThread } from './counting-thread.adapter.ts';

/** Maximum number of tool definitions with a token count in memory. */
const knownMax = 100_000;

/**
 * Limits on the queue of tool lists. The counter counts one tool list at a time, and the accounts take turns.
 * A tool list may wait for seconds, because the edge needs the counts only after the request has ended.
 */
const turns: FairQueueOptions = {
  slots: 8,
  slotsPerAccount: 1,
  waitingPerAccountMax: 8,
  waitingMax: 64,
  waitMsMax: 4_000,
};

/**
 * Counts the tokens (o200k) of tool definitions. Agents send the same tool definitions in every request, so
 * most counts are already in memory.
 */
export class DefinitionCounter {
  readonly #thread: Pick<CountingThread, 'count'>;
  readonly #known = new LRUCache<string, number>({ max: knownMax });
  readonly #queue = new FairQueue(turns);

  constructor(thread: Pick<CountingThread, 'count'>) {
    this.#thread = thread;
  }

  /**
   * @throws GatewayError `rate_limit_exceeded` or `service_unavailable` if too many tool lists wait, or if the
   * tool list waits too long.
   */
  count(accountId: string, definitions: readonly string[]): Promise<number[]> {
    return this.#queue.run(accountId, async () => {
      const keys = definitions.map((text) => hash('sha256', text));
      const texts = new Map(keys.map((key, at) => [key, definitions[at] ?? '']));
      const counts = new Map([...texts.keys()].map((key) => [key, this.#known.get(key)]));
      const fresh = [...texts].filter(([key]) => counts.get(key) === undefined);
      const counted = await this.#thread.count(
        accountId,
        fresh.map(([, text]) => text),
      );
      for (const [at, [key]] of fresh.entries()) {
        counts.set(key, counted[at]);
        this.#known.set(key, counted[at]);
      }
      return keys.map((key) => counts.get(key) ?? 0);
    });
  }
}
