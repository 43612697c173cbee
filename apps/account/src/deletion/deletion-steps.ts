import { forgetAccountBilling, forgetAccountCredentials, forgetAccountRequests } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import type { DeletionStep } from './deletion-step.port.ts';

/** Name of the first step, which runs inside the transaction that starts the deletion. */
export const ownStep = 'account';

/**
 * The services that delete account data after the account service, in order. Add an entry here for each new
 * service that stores account data. Deletions that are already running keep their original steps. Redis, the
 * routers and the compressors need no step: budget windows and reservations expire, and cached tool
 * definitions are keyed by hash rather than by account.
 */
export function deletionSteps(
  messaging: Pick<Messaging, 'call'>,
  changes: Pick<ChangeAnnouncer, 'announceAccountChange'>,
): readonly DeletionStep[] {
  return [
    {
      // If the process dies right after the commit, the first announcement is lost. This announcement is
      // retried.
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
      // After this step, late ledger entries from the worker are stored under a pseudonym.
      service: 'billing',
      forget: async ({ accountId }) => (await messaging.call(forgetAccountBilling, { accountId })).isDone,
    },
  ];
}
