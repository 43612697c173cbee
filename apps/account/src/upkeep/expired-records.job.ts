import { forgottenAfterMs } from '../identity/guess-limit.ts';
import type { AccountDatabase } from '../persistence/account-database.ts';

const everyMs = 10 * 60_000;

/**
 * Deletes answers that were kept for a day, those of accounts that call no more among them: a sealed secret lives no longer
 * than is said of it. Sessions of people that are over go as well, and failures to log in that count no more. Every replica does so; that they do it at once is harmless.
 */
export class ExpiredRecordsJob {
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
      const { idempotencyRecord, identitySession, loginGuesses } = this.#database.acrossAccounts;
      await idempotencyRecord.deleteMany({ where: expired });
      await identitySession.deleteMany({ where: expired });
      const forgotten = new Date(expired.expiresAt.lte.getTime() - forgottenAfterMs);
      await loginGuesses.deleteMany({ where: { lastAt: { lt: forgotten } } });
    } catch (error) {
      this.#onError(error);
    }
  }
}
