import { forgetAccountBilling, forgetAccountCredentials, forgetAccountRequests } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import type { DeletionStep } from './deletion-step.port.ts';

/** Name of the first step. It is part of the transaction that starts the deletion. */
export const ownStep = 'account';

/**
 * The services that delete data of an account after this one, in order. A new service that stores account data needs
 * an entry here. Deletions that are already running keep their original steps.
 *
 * Redis and the memory of routers and compressors need no step. Budget windows and reservations expire, and cached
 * tool definitions are keyed by hash, not by account.
 */
export function deletionSteps(
  messaging: Pick<Messaging, 'call'>,
  changes: Pick<ChangeAnnouncer, 'announceAccountChange'>,
): readonly DeletionStep[] {
  return [
    {
      // The announcement after the commit is lost if the process dies at that moment. This one is retried.
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
      // From now on, late ledger entries from the worker are stored under a pseudonym.
      service: 'billing',
      forget: async ({ accountId }) => (await messaging.call(forgetAccountBilling, { accountId })).isDone,
    },
  ];
}
