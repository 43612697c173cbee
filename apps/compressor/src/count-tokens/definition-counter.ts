import { hash } from 'node:crypto';
import { FairQueue, type FairQueueOptions } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import { countIdly } from './background-counter.ts';

/** Counts of this many definitions are remembered. */
const knownMax = 100_000;

/**
 * One list at a time, from each account in turn. The edge waits for the counts of a list only after its
 * request has ended, so a list may wait for seconds.
 */
const turns: FairQueueOptions = {
  slots: 1,
  slotsPerAccount: 1,
  waitingPerAccountMax: 8,
  waitingMax: 64,
  waitMsMax: 4_000,
};

/**
 * Counts the tokens (o200k) of tool definitions in small pieces, so that other requests run in between. Agents
 * send the same definitions in every request, so most counts are remembered.
 */
export class DefinitionCounter {
  readonly #known = new LRUCache<string, number>({ max: knownMax });
  readonly #queue = new FairQueue(turns);

  /** @throws GatewayError `rate_limit_exceeded` or `service_unavailable` if the list found no turn. */
  count(accountId: string, definitions: readonly string[]): Promise<number[]> {
    return this.#queue.run(accountId, async () => {
      const counts: number[] = [];
      for (const text of definitions) counts.push(await this.#countOne(text));
      return counts;
    });
  }

  async #countOne(text: string): Promise<number> {
    const key = hash('sha256', text);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const tokens = await countIdly(text);
    this.#known.set(key, tokens);
    return tokens;
  }
}
