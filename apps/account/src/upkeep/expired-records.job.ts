import { forgottenAfterMs } from '../identity/guess-limit.ts';
import type { AccountDatabase } from '../persistence/account-database.ts';

const everyMs = 10 * 60_000;

/**
 * Deletes expired replies to idempotent calls, so that encrypted secrets do not outlive their promised
 * lifetime even in inactive accounts. It also deletes expired login sessions and forgotten login failures.
 * Every replica runs this job, and concurrent runs are harmless.
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

  /** Runs a round immediately. Never rejects: the next round deletes whatever a failed round left. */
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
