import type { AuditShipper } from '../audit/audit-outbox.ts';
import { credentialChanged, noteCredentialChange } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ServiceParts } from '@gateway/messaging/run-service';
import type { Counter } from '@gateway/observability';

/**
 * The outcome of a request for a credential. The outcome `missing` means that the credential does not exist. The
 * outcome `failed` means that a stored secret cannot be decrypted, because it was changed or belongs to a different
 * key. The outcome `unavailable` means that the key for a stored secret cannot be used at the moment.
 */
export type OpeningOutcome = 'opened' | 'missing' | 'failed' | 'unavailable';
export type RewrappingOutcome = 'rewrapped' | 'failed';

/** Minimum time in milliseconds between two notifications. Each notification makes gateways reload the account. */
const noteEveryMs = 200;

/** Counts decryptions and re-encryptions of credentials, and announces changes of credentials. */
export class CredentialEvents {
  readonly #parts: Pick<ServiceParts, 'messaging' | 'logger'>;
  readonly #audit: Pick<AuditShipper, 'wake'>;
  readonly #openings: Counter<'outcome'>;
  readonly #rewrappings: Counter<'outcome'>;
  /** The accounts with a recent notification, and whether their credentials have changed since the notification. */
  readonly #noted = new Map<string, boolean>();

  constructor(
    { messaging, logger, metrics }: Pick<ServiceParts, 'messaging' | 'logger' | 'metrics'>,
    audit: Pick<AuditShipper, 'wake'>,
  ) {
    this.#parts = { messaging, logger };
    this.#audit = audit;
    this.#openings = metrics.counter({
      name: 'vault_credential_openings_total',
      help: 'Credentials that gateways requested, by outcome.',
      labels: ['outcome'],
    });
    this.#rewrappings = metrics.counter({
      name: 'vault_credential_rewrappings_total',
      help: 'Credentials processed by a rotation of the key-encryption key, by outcome.',
      labels: ['outcome'],
    });
  }

  countOpening(outcome: OpeningOutcome): void {
    this.#openings.inc({ outcome });
  }

  countRewrapping(outcome: RewrappingOutcome): void {
    this.#rewrappings.inc({ outcome });
  }

  /**
   * Broadcasts that cached copies of a credential are stale, and records the change in the audit log. Callers must
   * first commit the change to the database.
   */
  announceChange({ accountId, provider }: { readonly accountId: string; readonly provider: string }): void {
    this.#parts.messaging.broadcast(credentialChanged, { accountId, provider });
    this.#noteChange(accountId);
    this.#audit.wake();
  }

  /**
   * Notifies the account service of a changed credential, for gateways that miss the broadcast. The caller
   * does not wait for the notification, because gateways reload credentials within ten seconds.
   */
  #noteChange(accountId: string): void {
    if (this.#noted.has(accountId)) {
      this.#noted.set(accountId, true);
      return;
    }
    this.#noted.set(accountId, false);
    setTimeout(() => {
      const hasChanged = this.#noted.get(accountId) === true;
      this.#noted.delete(accountId);
      if (hasChanged) this.#noteChange(accountId);
    }, noteEveryMs).unref();
    const { messaging, logger } = this.#parts;
    messaging.call(noteCredentialChange, { accountId }).catch((error: unknown) => {
      // An account has no epoch (change number) while it is being deleted.
      if (error instanceof GatewayError && error.code === 'not_found') return;
      logger.warn(
        { err: error, account_id: accountId },
        'reporting a credential change to the account service failed',
      );
    });
  }
}
