import type { Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { accountKey } from '../../../../cache/account-keys.ts';
import { nameOf, openValue, sealValue, type SealedCache } from '../../../../cache/sealed-value.ts';
import type { MessageEdits } from './context-edits.ts';

/** Lifetime of a cache entry in seconds. The prompt caches of providers also expire within one day. */
const keptSeconds = 24 * 3600;
/** Minimum time between two readings of the clock, in milliseconds. Entries may expire one second late. */
const ttlResolutionMs = 1_000;
const valueBytesMax = 1024 * 1024;
const bytesPerEntry = 300;

/**
 * Stores messages in the form in which they were sent. The key of a message is the hash of the conversation up to
 * the message. Cache entries are stored in this process and, for other replicas, in Redis. The gateway recomputes
 * missing entries. Data in Redis is encrypted, because it contains conversation text. The encryption key for a
 * message is derived from the hash of the conversation, and is not stored in Redis. Only a request with the same
 * conversation can decrypt the values in Redis.
 */
export class ContextMemo {
  readonly #redis: SealedCache;
  readonly #log: Logger;
  readonly #kept = new LRUCache<string, MessageEdits>({
    ttl: keptSeconds * 1_000,
    ttlResolution: ttlResolutionMs,
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: ({ edits, steps, markers, blocks }) =>
      bytesPerEntry +
      (steps.length + markers.length + blocks.length) * 100 +
      edits.reduce((size, { replacement }) => size + 60 + replacement.length * 2, 0),
  });

  constructor(redis: SealedCache, log: Logger) {
    this.#redis = redis;
    this.#log = log;
  }

  peek(link: Buffer): MessageEdits | undefined {
    return this.#kept.get(link.toString('hex'));
  }

  /** Loads missing entries from Redis. Ignores Redis if it is unavailable, slow or returns invalid data. */
  async load(accountId: string, links: readonly Buffer[]): Promise<void> {
    try {
      const values = await this.#redis.mgetBuffer(...links.map((link) => keyOf(accountId, link)));
      for (const [at, value] of values.entries()) {
        const link = links[at];
        const edits = link && value ? open(link, value) : undefined;
        if (link && edits) this.#kept.set(link.toString('hex'), edits);
      }
    } catch (error) {
      this.#log.debug({ err: error }, 'cache of compressed messages unavailable');
    }
  }

  /**
   * Returns the names of turns that were sent unchanged. If the query fails but Redis now has all messages, no name
   * is needed. On a busy machine, Redis may have the messages but not answer the first load in time.
   */
  async orReload(
    accountId: string,
    links: readonly Buffer[],
    query: Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    try {
      return await query;
    } catch (error) {
      await this.load(accountId, links);
      if (links.some((link) => this.peek(link) === undefined)) throw error;
      return [];
    }
  }

  keep(accountId: string, link: Buffer, edits: MessageEdits): void {
    this.#kept.set(link.toString('hex'), edits);
    const value = sealValue(link, JSON.stringify(edits));
    if (value.length > valueBytesMax) return;
    this.#redis.set(accountId, keyOf(accountId, link), value, keptSeconds).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'cache of compressed messages unavailable');
    });
  }
}

function keyOf(accountId: string, link: Buffer): string {
  return accountKey('context:v4', accountId, nameOf(link));
}

/** Decrypts cached edits. Returns undefined if the stored value was not encrypted for this conversation. */
function open(link: Buffer, value: Buffer): MessageEdits | undefined {
  const text = openValue(link, value);
  return text === undefined ? undefined : (JSON.parse(text) as MessageEdits);
}
