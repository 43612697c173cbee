import { LRUCache } from 'lru-cache';
import type { AccountDatabase } from '../persistence/account-database.ts';

const pauseMs = 1_000;
const oncePerMs = 60_000;
/**
 * Maximum number of keys that wait to be written, and of keys written in the last minute. Further keys are
 * not recorded.
 */
const keysMax = 10_000;

/** Stores `usedAt` as the time of the last use of these keys. */
type WriteLastUsed = (keyIds: readonly string[], usedAt: Date) => Promise<void>;

/**
 * Records the last use of keys, outside the request path. The recorder collects uses for a second and writes
 * them in one batch, at most once a minute per key. A failed write is reported but not retried, because the
 * next minute's write replaces it.
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

  /** Records that a key was used. The call costs one in-memory lookup. */
  note(keyId: string): void {
    if (this.#written.has(keyId) || this.#waiting.size >= keysMax) return;
    this.#waiting.add(keyId);
    this.#timer ??= setTimeout(() => void this.flush(), pauseMs).unref();
  }

  /** Writes the collected uses immediately. The method never rejects. */
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
 * Several replicas record uses of the same key. This condition limits them to one write per minute in total.
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
