import { LRUCache } from 'lru-cache';
import type { AccountDatabase } from '../persistence/account-database.ts';

const pauseMs = 1_000;
const oncePerMs = 60_000;
/**
 * Maximum number of API keys in the write queue. The same maximum applies to the cache of keys that were
 * written within the last minute. While the write queue is full, uses of further keys are not recorded.
 */
const keysMax = 10_000;

/** Stores `usedAt` as the last time at which the given API keys were used. */
type WriteLastUsed = (keyIds: readonly string[], usedAt: Date) => Promise<void>;

/**
 * Records the last use of API keys, outside the request path. The recorder collects uses for a second, and
 * writes them in one batch. The last use of each key is written at most once per minute. The recorder reports
 * a failed write but does not retry it, because the write in the next minute replaces it.
 */
export class LastUsedRecorder {
  readonly #write: WriteLastUsed;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<string>();
  readonly #written = new LRUCache<string, true>({ max: keysMax, ttl: oncePerMs });
  #timer: NodeJS.Timeout | undefined;

  constructor(write: WriteLastUsed, onError: (error: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  /** Records the use of an API key. Each call costs one lookup in memory. */
  note(keyId: string): void {
    if (this.#written.has(keyId) || this.#waiting.size >= keysMax) return;
    this.#waiting.add(keyId);
    this.#timer ??= setTimeout(() => void this.flush(), pauseMs).unref();
  }

  /** Writes the collected uses immediately. The returned promise never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const keyIds = [...this.#waiting];
    this.#waiting.clear();
    if (keyIds.length === 0) return;
    for (const keyId of keyIds) this.#written.set(keyId, true);
    try {
      await this.#write(keyIds, new Date());
    } catch (error) {
      this.#onError(error);
    }
  }
}

/**
 * Stores the last use of API keys in the database. Several replicas may record uses of the same key. A
 * condition in the query ensures that all replicas together write each key at most once per minute.
 */
export function writeLastUsedTo(database: AccountDatabase): WriteLastUsed {
  return async (keyIds, usedAt) => {
    const before = new Date(usedAt.getTime() - oncePerMs);
    await database.acrossAccounts.apiKey.updateMany({
      where: { id: { in: [...keyIds] }, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] },
      data: { lastUsedAt: usedAt },
    });
  };
}
