import { forgottenAfterMs } from '../identity/guess-limit.ts';
import { trimPlans } from '../conversation-plans/conversation-plans.ts';
import { trimAudit, type AuditLimits } from '../audit/trim-audit.ts';
import type { AccountDatabase } from '../persistence/account-database.ts';

const everyMs = 10 * 60_000;

interface ExpiredRecordsParts {
  readonly database: AccountDatabase;
  /** Limits on the age and number of events in the audit logs. */
  readonly audit: AuditLimits;
  readonly onError: (error: unknown) => void;
}

/**
 * Deletes expired replies to idempotent calls, because the replies contain encrypted secrets. The job also covers
 * inactive accounts. The job also deletes expired login sessions, expired email tokens and old login failures. The
 * job deletes audit events above the limits. The job also deletes plans of conversations that were not continued for
 * a long time. Every replica runs the job, and concurrent runs are safe.
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

  /**
   * Runs the cleanup job immediately. The returned promise never rejects. If a run fails, the next run
   * deletes the remaining rows.
   */
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
