import { forgottenAfterMs } from '../identity/guess-limit.ts';
import { trimPlans } from '../conversation-plans/conversation-plans.ts';
import { trimAudit, type AuditLimits } from '../audit/trim-audit.ts';
import type { AccountDatabase } from '../persistence/account-database.ts';

const everyMs = 10 * 60_000;

interface ExpiredRecordsParts {
  readonly database: AccountDatabase;
  /** How much of the audit logs is kept. */
  readonly audit: AuditLimits;
  readonly onError: (error: unknown) => void;
}

/**
 * Deletes expired replies to idempotent calls, so that encrypted secrets do not outlive their promised
 * lifetime even in inactive accounts. It also deletes expired login sessions and mail tokens, forgotten login
 * failures, audit events above the limits, and plans of conversations that were not continued for long. Every replica runs this job, and concurrent runs are harmless.
 */
export class ExpiredRecordsJob {
  readonly #parts: ExpiredRecordsParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ExpiredRecordsParts) {
    this.#parts = parts;
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
    const { database, audit, onError } = this.#parts;
    try {
      const expired = { expiresAt: { lte: new Date() } };
      const { idempotencyRecord, identitySession, identityMailToken, loginGuesses } = database.acrossAccounts;
      await idempotencyRecord.deleteMany({ where: expired });
      await identitySession.deleteMany({ where: expired });
      await identityMailToken.deleteMany({ where: expired });
      const forgotten = new Date(expired.expiresAt.lte.getTime() - forgottenAfterMs);
      await loginGuesses.deleteMany({ where: { lastAt: { lt: forgotten } } });
      await trimAudit(database, audit);
      await trimPlans({ database });
    } catch (error) {
      onError(error);
    }
  }
}
