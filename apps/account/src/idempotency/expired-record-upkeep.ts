import type { AccountDatabase } from '../persistence/account-database.ts';

const everyMs = 10 * 60_000;

/**
 * Deletes answers that were kept for a day, those of accounts that call no more among them: a sealed secret lives no longer
 * than is said of it. Every replica does so; that they do it at once is harmless.
 */
export class ExpiredRecordUpkeep {
  readonly #database: AccountDatabase;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: AccountDatabase, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.run(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One round of it, now. Never rejects: the next round stands for one that failed. */
  async run(): Promise<void> {
    try {
      const expired = { expiresAt: { lte: new Date() } };
      await this.#database.acrossAccounts.idempotencyRecord.deleteMany({ where: expired });
    } catch (error) {
      this.#onError(error);
    }
  }
}
