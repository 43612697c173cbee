import { forgetAccountBilling, forgetAccountCredentials, forgetAccountRequests } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import type { DeletionStep } from './deletion-step.port.ts';

/** The first step's name. It is done in the transaction that begins the deletion. */
export const ownStep = 'account';

/**
 * What is to forget a deleted account besides this service, in order. A service that comes to keep something of accounts
 * gets its line here; deletions that began before keep the steps that they began with.
 *
 * Windows and reservations in Redis are counts under a key's id, and end by themselves, as does what routers and
 * compressors remember, which is by the hash of a definition and not by account.
 */
export function deletionSteps(
  messaging: Pick<Messaging, 'call'>,
  changes: Pick<ChangeAnnouncer, 'announceAccountChange'>,
): readonly DeletionStep[] {
  return [
    {
      // The announcement after the commit is lost if the process dies right then; this one is not.
      service: 'edge-gateway',
      forget: (account) => {
        changes.announceAccountChange({ ...account, deleted: true });
        return Promise.resolve(true);
      },
    },
    {
      service: 'provider-vault',
      forget: async ({ accountId }) => {
        await messaging.call(forgetAccountCredentials, { accountId });
        return true;
      },
    },
    {
      service: 'worker',
      forget: async ({ accountId }) => (await messaging.call(forgetAccountRequests, { accountId })).isDone,
    },
    {
      // Entries of the ledger that the worker still has come under a pseudonym from here on.
      service: 'billing',
      forget: async ({ accountId }) => (await messaging.call(forgetAccountBilling, { accountId })).isDone,
    },
  ];
}
