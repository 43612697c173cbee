import {
  accountChanged,
  accountEpochName,
  keyChanged,
  keyEpochName,
  loginSessionChanged,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { EpochBoard } from './epoch-board.port.ts';

/** An API key that was created, changed or revoked, with the epoch (change number) of the change. */
export interface KeyChange {
  readonly accountId: string;
  readonly keyId: string;
  readonly epoch: number;
  /** Whether the key was revoked. A revocation cannot be undone. */
  readonly revoked?: boolean;
}

/**
 * A change that affects every key in an account: a new policy, new preferences, new model toggles, or the
 * account's deletion.
 */
export interface AccountChange {
  readonly accountId: string;
  readonly epoch: number;
  /** Whether the account was deleted. A deletion cannot be undone. */
  readonly deleted?: boolean;
}

/** A user with ended login sessions or with a changed account. */
export interface LoginSessionChange {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Announces changes, so that gateways drop stale cache entries. Changes to keys and accounts are broadcast.
 * The epoch (number) of each change is also written to Redis, for gateways that miss the broadcast. Call the
 * announcer only after the transaction has committed.
 */
export class ChangeAnnouncer {
  readonly #messaging: Pick<Messaging, 'broadcast'>;
  readonly #epochs: EpochBoard;

  constructor(messaging: Pick<Messaging, 'broadcast'>, epochs: EpochBoard) {
    this.#messaging = messaging;
    this.#epochs = epochs;
  }

  announceKeyChange({ accountId, keyId, epoch, revoked = false }: KeyChange): void {
    this.#messaging.broadcast(keyChanged, { accountId, keyId, epoch, revoked });
    this.#epochs.write(keyEpochName(accountId, keyId), revoked ? -epoch : epoch);
  }

  announceAccountChange({ accountId, epoch, deleted = false }: AccountChange): void {
    this.#messaging.broadcast(accountChanged, { accountId, epoch, deleted });
    this.#epochs.write(accountEpochName(accountId), deleted ? -epoch : epoch);
  }

  announceLoginSessionChange(change: LoginSessionChange): void {
    this.#messaging.broadcast(loginSessionChanged, change);
  }
}
