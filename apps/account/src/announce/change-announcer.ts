import {
  accountChanged,
  accountEpochName,
  keyChanged,
  keyEpochName,
  loginSessionChanged,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { EpochBoard } from './epoch-board.port.ts';

/** A key that was created, changed or revoked, and the epoch of that change. */
export interface KeyChange {
  readonly accountId: string;
  readonly keyId: string;
  readonly epoch: number;
  /** Whether the key was revoked, which is final. */
  readonly revoked?: boolean;
}

/** A change that affects all keys of an account: of its policy, preferences or toggles, or its deletion. */
export interface AccountChange {
  readonly accountId: string;
  readonly epoch: number;
  /** Whether the account is deleted, which is final. */
  readonly deleted?: boolean;
}

/** A person whose login sessions ended, or whose account changed. */
export interface LoginSessionChange {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Announces changes, so that gateways drop what they cached. Changes of keys and accounts are broadcast, and their epochs
 * are also written to the epoch board, for gateways that miss the broadcast. Call it after the commit, never before.
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
