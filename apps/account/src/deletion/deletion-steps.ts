import {
  forgetAccountBilling,
  forgetAccountCredentials,
  forgetAccountMemos,
  forgetAccountOriginals,
  forgetAccountRequests,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import type { DeletionStep } from './deletion-runner.ts';

/** Name of the first deletion step, which runs inside the transaction that starts the deletion. */
export const ownStep = 'account';

/**
 * The services that delete an account's data after the account service, in the order of the deletion steps.
 * Each new service that stores account data needs an entry in this list. Deletions that are already in progress
 * keep their original steps. Tool routers need no deletion step, because their vectors of tool definitions are
 * not linked to an account, and expire. The last two steps delete keys from Redis after the account's open
 * requests have ended, because open requests still write Redis keys.
 */
export function deletionSteps(
  messaging: Pick<Messaging, 'call'>,
  changes: Pick<ChangeAnnouncer, 'announceAccountChange'>,
): readonly DeletionStep[] {
  return [
    {
      // The deletion is announced again, because a previous attempt may have stopped right after the commit.
      service: 'edge-gateway',
      forget: ({ accountId, epoch }) => {
        changes.announceAccountChange({ accountId, epoch, deleted: true });
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
      // After the billing step, late ledger entries from the worker are stored under a pseudonym.
      service: 'billing',
      forget: async ({ accountId }) => (await messaging.call(forgetAccountBilling, { accountId })).isDone,
    },
    redisStep('compressor', (page) => messaging.call(forgetAccountOriginals, page)),
    redisStep('edge-gateway-caches', (page) => messaging.call(forgetAccountMemos, page)),
  ];
}

/**
 * Time after which all requests of a deleted account have ended, in milliseconds. Within 5 s, gateways end
 * the open requests of a deleted account, and then write the final counts of these requests.
 */
const settledAfterMs = 6_000;
/**
 * Time limit for one call in a deletion step, in milliseconds. The deletion runner can be stopped between two calls.
 */
const waitMs = 250;

interface Page {
  readonly accountId: string;
  readonly cursor: string | null;
}

/** A step that deletes Redis keys page by page after the open requests have ended. */
function redisStep(service: string, forgetPage: (page: Page) => Promise<Pick<Page, 'cursor'>>): DeletionStep {
  const forget: DeletionStep['forget'] = async ({ accountId, requestedAt }) => {
    if (Date.now() < requestedAt.getTime() + settledAfterMs) {
      await wait(waitMs);
      return false;
    }
    let cursor: string | null = null;
    do ({ cursor } = await forgetPage({ accountId, cursor }));
    while (cursor !== null);
    return true;
  };
  return { service, forget };
}
