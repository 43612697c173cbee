import {
  LoopShare,
  TimeShare,
  type FairQueueOptions,
  type LoopShareOptions,
  type TimeShareOptions,
} from '@gateway/messaging';
import type { Metrics } from '@gateway/observability';

/** The accounts' shares of the router's processor time. */
export interface RouterShares {
  /** How the accounts share the event loop while long tool lists are planned. */
  readonly loop: LoopShare;
  /** How the accounts share the inference threads for the vectors of new tools. */
  readonly vectors: TimeShare;
}

/**
 * The accounts' shares of event-loop time. The work between two pauses takes about as long as planning a
 * request with 100 tools. Planning a request with 4,096 tools takes up to 80 ms. A plan that waits longer
 * than `waitMsMax` would reach the gateway too late (`PLAN_DEADLINE_MS`).
 */
export const loopShare: LoopShareOptions = {
  pieceMs: 2,
  contendedShare: 0.25,
  burstMs: 50,
  jobs: { slots: 64, slotsPerAccount: 1, waitingPerAccountMax: 8, waitingMax: 1_024, waitMsMax: 250 },
};

/**
 * How the accounts share the time of the inference threads. The maximum burst (`burstMs`) is enough for about
 * 700 new tools.
 */
export const vectorShare: TimeShareOptions = { contendedShare: 0.25, burstMs: 200 };

/** Opens the account shares of processor time, and reports them in the metrics. */
export function openRouterShares(metrics: Metrics): RouterShares {
  const refused = metrics.counter({
    name: 'tool_router_plans_refused_total',
    help: 'Plans for long lists that were rejected, so all tools were sent: their account has too many waiting, all accounts together have, or the wait was too long.',
    labels: ['reason'],
  });
  const onRefused: FairQueueOptions['onRefused'] = (reason) => refused.inc({ reason });
  const loop = new LoopShare({ ...loopShare, jobs: { ...loopShare.jobs, onRefused } });
  metrics.gauge({
    name: 'tool_router_plans_waiting',
    help: 'Plans for long lists that wait until others of their account have ended.',
    collect: () => loop.waiting,
  });
  return { loop, vectors: new TimeShare(vectorShare) };
}
