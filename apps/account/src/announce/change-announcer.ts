import { accountChanged, accountEpochName, keyChanged, keyEpochName } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { AccountChange, KeyChange } from '../domain/account-context.ts';
import type { EpochBoard } from './epoch-board.port.ts';

/** Tells of changes in both ways: by broadcast, and on the board, for gateways that broadcasts do not reach. */
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
}
