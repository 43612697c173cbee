import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Logger } from '@gateway/observability';
import type { OriginalScope, OriginalStore } from './original-store.port.ts';
import {
  deriveConversationKeys,
  nameOriginal,
  openOriginal,
  sealOriginal,
  type ConversationKeys,
} from './original-seal.ts';

/** The part of Redis that the store needs. */
export interface OriginalRedis {
  mgetBuffer(...keys: string[]): Promise<(Buffer | null)[]>;
  set(key: string, value: Buffer, unit: 'EX', seconds: number): Promise<unknown>;
}

/** As long as the edge remembers how a message went out. */
const keptSeconds = 24 * 3600;
/** A longer one is made again when it is asked for. */
const originalBytesMax = 2 * 1024 * 1024;
/** On their way to Redis; what comes on top is not kept. */
const waitingBytesMax = 32 * 1024 * 1024;
/** Logs are ten times as long as what they say; more effort would gain little. */
const deflateLevel = 1;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Originals in the cache's Redis, each deflated and sealed under keys of its account's session. */
export class RedisOriginalStore implements OriginalStore {
  readonly #redis: OriginalRedis;
  readonly #key: Buffer;
  readonly #log: Logger;
  #waitingBytes = 0;

  constructor(redis: OriginalRedis, key: Buffer, log: Logger) {
    this.#redis = redis;
    this.#key = key;
    this.#log = log;
  }

  keep(scope: OriginalScope, originals: ReadonlyMap<string, string>): void {
    if (originals.size === 0) return;
    const keys = deriveConversationKeys(this.#key, scope);
    for (const [id, original] of originals) {
      // Half of a pair has no place in UTF-8: it would come back as something else.
      if (!original.isWellFormed()) continue;
      const bytes = Buffer.from(original);
      if (bytes.length > originalBytesMax || this.#waitingBytes + bytes.length > waitingBytesMax) continue;
      this.#waitingBytes += bytes.length;
      this.#write(keys, id, bytes)
        .catch((error: unknown) => this.#log.debug({ err: error }, 'an original is not kept'))
        .finally(() => (this.#waitingBytes -= bytes.length));
    }
  }

  async #write(keys: ConversationKeys, id: string, bytes: Buffer): Promise<void> {
    const sealed = sealOriginal(keys, id, await deflate(bytes, { level: deflateLevel }));
    await this.#redis.set(redisKey(keys, id), sealed, 'EX', keptSeconds);
  }

  async find(scope: OriginalScope, ids: readonly string[]): Promise<(string | null)[]> {
    const keys = deriveConversationKeys(this.#key, scope);
    try {
      const values = await this.#redis.mgetBuffer(...ids.map((id) => redisKey(keys, id)));
      return await Promise.all(values.map((value, at) => read(keys, ids[at] ?? '', value)));
    } catch (error) {
      this.#log.debug({ err: error }, 'originals cannot be looked up');
      return ids.map(() => null);
    }
  }
}

async function read(keys: ConversationKeys, id: string, value: Buffer | null): Promise<string | null> {
  const deflated = value && openOriginal(keys, id, value);
  if (deflated === null) return null;
  const bytes = await inflate(deflated, { maxOutputLength: originalBytesMax });
  return bytes.toString('utf8');
}

function redisKey(keys: ConversationKeys, id: string): string {
  return `original:v1:${nameOriginal(keys, id)}`;
}
