import { connectCacheRedis, type AccountCache } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { parsePackedVector, renderPackedVector, type PackedVector } from './shared-vectors.port.ts';
import type { SharedVectors } from './shared-vectors.port.ts';

/** Timeout of Redis commands in milliseconds. An unresponsive Redis server delays a plan by at most this time. */
const commandDefaultMs = 40;
/** Time in seconds after which an unused vector expires. An expired vector is computed again. */
const keptSeconds = 14 * 24 * 3600;
const keysPerCommand = 256;
/** Number of vectors in one write command. Redis executes a command of 32 vectors in less than a millisecond. */
const vectorsPerWrite = 32;

/** Redis commands fail immediately while Redis is unavailable. */
export function connectVectorRedis(url: string, logger: Logger, commandMs = commandDefaultMs): Redis {
  return connectCacheRedis(url, {
    commandTimeoutMs: commandMs,
    connectTimeoutMs: 2_000,
    onError: (error) => logger.debug({ err: error }, 'vector store: Redis error, computing vectors locally'),
  });
}

/**
 * Stores tool vectors in the Redis cache, keyed by model and definition hash. Neither a vector nor a hash
 * reveals the tool definition. The store ignores vectors of the wrong length.
 */
export class RedisVectors implements SharedVectors {
  readonly #redis: Redis;
  readonly #cache: Pick<AccountCache, 'setAll'>;
  readonly #logger: Logger;

  constructor(redis: Redis, cache: Pick<AccountCache, 'setAll'>, logger: Logger) {
    this.#redis = redis;
    this.#cache = cache;
    this.#logger = logger;
  }

  async fetch(
    modelId: string,
    dimensions: number,
    hashes: readonly string[],
  ): Promise<Map<string, PackedVector>> {
    const found = new Map<string, PackedVector>();
    for (let from = 0; from < hashes.length && this.#redis.status === 'ready'; from += keysPerCommand) {
      const some = hashes.slice(from, from + keysPerCommand);
      const values = await this.#redis
        .mgetBuffer(some.map((hash) => keyOf(modelId, hash)))
        .catch((error: unknown) => this.#miss(error));
      if (values === undefined) break;
      values.forEach((bytes, at) => {
        const packed = bytes === null ? undefined : parsePackedVector(bytes, dimensions);
        const hash = some[at];
        if (packed !== undefined && hash !== undefined) found.set(hash, packed);
      });
    }
    return found;
  }

  async store(modelId: string, vectors: ReadonlyMap<string, PackedVector>, accountId: string): Promise<void> {
    if (this.#redis.status !== 'ready' || vectors.size === 0) return;
    const entries = [...vectors];
    try {
      // The router and Redis process other requests between two groups of vectors.
      for (let from = 0; from < entries.length; from += vectorsPerWrite) {
        const some = entries
          .slice(from, from + vectorsPerWrite)
          .map(([hash, packed]) => [keyOf(modelId, hash), renderPackedVector(packed)] as const);
        if ((await this.#cache.setAll(accountId, some, keptSeconds)) === 0) return;
      }
    } catch (error) {
      this.#miss(error);
    }
  }

  #miss(error: unknown): undefined {
    this.#logger.debug({ err: error }, 'vector store unavailable, computing vectors locally');
    return undefined;
  }
}

function keyOf(modelId: string, hash: string): string {
  return `tool-vector:${modelId}:${hash}`;
}
