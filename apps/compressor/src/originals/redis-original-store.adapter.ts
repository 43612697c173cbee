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

/** The kind of Redis key under which original texts are stored. A key has the form `<kind>:{<account id>}:<name>`. */
export const originalKeyKind = 'original:v2';

/** The cache commands that the store of original texts uses (`AccountCache`). */
export interface OriginalRedis {
  mgetBuffer(...keys: string[]): Promise<(Buffer | null)[]>;
  set(accountId: string, key: string, value: Buffer, seconds: number): Promise<unknown>;
}

/**
 * Lifetime of stored original texts in seconds, equal to the lifetime of the gateway's record of sent messages.
 */
const keptSeconds = 24 * 3600;
/** Maximum size in bytes of a stored original text. Longer texts are not stored, but are rebuilt on request. */
const originalBytesMax = 2 * 1024 * 1024;
/**
 * Maximum number of bytes in unfinished writes. Beyond this number, the compressor stores no further original texts.
 */
const waitingBytesMax = 32 * 1024 * 1024;
/**
 * Maximum number of bytes in unfinished writes per account. This is a quarter of the limit for all accounts together.
 */
const waitingBytesPerAccountMax = waitingBytesMax / 4;
/** The lowest level of deflate is used, because it already reduces logs to a tenth of their size. */
const deflateLevel = 1;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

interface Kept {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Stores original texts in the Redis server for caches. The original texts are compressed (deflate)
 * and encrypted with the keys of their conversation.
 */
export class RedisOriginalStore implements OriginalStore {
  readonly #redis: OriginalRedis;
  readonly #key: Buffer;
  readonly #log: Logger;
  readonly #waitingBytesOf = new Map<string, number>();
  #waitingBytes = 0;

  constructor(redis: OriginalRedis, key: Buffer, log: Logger) {
    this.#redis = redis;
    this.#key = key;
    this.#log = log;
  }

  keep(scope: OriginalScope, originals: ReadonlyMap<string, string>): void {
    if (originals.size === 0) return;
    const keys = deriveConversationKeys(this.#key, scope);
    const kept: Kept[] = [];
    for (const [id, original] of originals) {
      // The store skips a text that contains an unpaired surrogate, because UTF-8 cannot represent it.
      if (!original.isWellFormed()) continue;
      const bytes = Buffer.from(original);
      if (bytes.length > originalBytesMax || !this.#reserve(scope.accountId, bytes.length)) continue;
      kept.push({ id, bytes });
    }
    void this.#writeAll(scope.accountId, keys, kept);
  }

  /**
   * Writes one original text at a time. A request can omit thousands of texts, and writing all texts at
   * once would block the event loop.
   */
  async #writeAll(accountId: string, keys: ConversationKeys, kept: readonly Kept[]): Promise<void> {
    for (const { id, bytes } of kept) {
      try {
        await this.#write(accountId, keys, id, bytes);
      } catch (error) {
        this.#log.debug(
          { err: error },
          'original store: writing an original failed, it is rebuilt on request',
        );
      }
      this.#release(accountId, bytes.length);
    }
  }

  #reserve(accountId: string, bytes: number): boolean {
    const ofAccount = (this.#waitingBytesOf.get(accountId) ?? 0) + bytes;
    if (this.#waitingBytes + bytes > waitingBytesMax || ofAccount > waitingBytesPerAccountMax) return false;
    this.#waitingBytes += bytes;
    this.#waitingBytesOf.set(accountId, ofAccount);
    return true;
  }

  #release(accountId: string, bytes: number): void {
    this.#waitingBytes -= bytes;
    const left = (this.#waitingBytesOf.get(accountId) ?? 0) - bytes;
    if (left > 0) this.#waitingBytesOf.set(accountId, left);
    else this.#waitingBytesOf.delete(accountId);
  }

  async #write(accountId: string, keys: ConversationKeys, id: string, bytes: Buffer): Promise<void> {
    const sealed = sealOriginal(keys, id, await deflate(bytes, { level: deflateLevel }));
    await this.#redis.set(accountId, redisKey(accountId, keys, id), sealed, keptSeconds);
  }

  async find(scope: OriginalScope, ids: readonly string[]): Promise<(string | null)[]> {
    const keys = deriveConversationKeys(this.#key, scope);
    try {
      const values = await this.#redis.mgetBuffer(...ids.map((id) => redisKey(scope.accountId, keys, id)));
      return await Promise.all(values.map((value, at) => read(keys, ids[at] ?? '', value)));
    } catch (error) {
      this.#log.debug(
        { err: error },
        'original store: reading from Redis failed, originals are rebuilt on request',
      );
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

/**
 * The account id in the key name is not hashed, so that the original texts of a deleted account can be found.
 */
function redisKey(accountId: string, keys: ConversationKeys, id: string): string {
  return `${originalKeyKind}:{${accountId}}:${nameOriginal(keys, id)}`;
}
