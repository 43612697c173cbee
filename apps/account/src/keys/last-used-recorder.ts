import { LRUCache } from 'lru-cache';
import type { AccountDatabase } from '../persistence/account-database.ts';

const pauseMs = 1_000;
const oncePerMs = 60_000;
/** Keys whose use waits to be written, and keys remembered as written. More than that in a minute are not recorded. */
const keysMax = 10_000;

/** Writes, for these keys, that they were used at `usedAt`. */
type WriteLastUsed = (keyIds: readonly string[], usedAt: Date) => Promise<void>;

/**
 * Records when keys were last used, off the path of the request: uses are gathered for a second and written together,
 * at most once a minute for each key. A failed write is reported and left out: the next minute's stands for it.
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

  /** Costs a look-up in memory. */
  note(keyId: string): void {
    if (this.#written.has(keyId) || this.#waiting.size >= keysMax) return;
    this.#waiting.add(keyId);
    this.#timer ??= setTimeout(() => void this.flush(), pauseMs).unref();
  }

  /** Writes what waits, now. Never rejects. */
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

/** Replicas record the same key's uses: the condition keeps them, too, to one write a minute. */
export function writeLastUsedTo(database: AccountDatabase): WriteLastUsed {
  return async (keyIds, usedAt) => {
    const before = new Date(usedAt.getTime() - oncePerMs);
    await database.acrossAccounts.apiKey.updateMany({
      where: { id: { in: [...keyIds] }, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] },
      data: { lastUsedAt: usedAt },
    });
  };
}
