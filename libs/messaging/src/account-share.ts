import type { Metrics } from '@gateway/observability';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';

/** The limits for one account's use of a service's database connections. */
export type AccountShare = Omit<FairQueueOptions, 'onRefused'>;

/**
 * The account share for services that mainly wait for Postgres. One account uses at most two of a pool's ten
 * connections. Eight calls run at the same time, so two connections remain free for jobs. If an account sends
 * 64 calls at once and each call takes a few milliseconds, all calls are served. While several accounts are
 * active, one account's short calls use a single connection. They leave a processor core to other accounts.
 */
export const accountShare: AccountShare = {
  slots: 8,
  slotsPerAccount: 2,
  spacingMs: 50,
  waitingPerAccountMax: 64,
  waitingMax: 4_096,
  waitMsMax: 2_000,
};

/** Creates the queue for an account share and reports it in the metrics. */
export function watchShare(metrics: Metrics, share: AccountShare): FairQueue {
  const refused = metrics.counter({
    name: 'account_calls_refused_total',
    help: 'Calls rejected because their account had too many calls in progress, the queue was full, or no slot was free in time.',
    labels: ['reason'],
  });
  const queue = new FairQueue({ ...share, onRefused: (reason) => refused.inc({ reason }) });
  metrics.gauge({
    name: 'account_calls_waiting',
    help: 'Calls that wait for a slot of their account.',
    collect: () => queue.waiting,
  });
  return queue;
}
