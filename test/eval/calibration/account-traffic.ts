import type { RoutingPolicy } from '@gateway/contracts';
import {
  calibrate,
  isNews,
  renderPolicy,
  type Calibration,
} from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import type { PolicyBucket } from '../../../apps/worker/src/jobs/calibrate/policy-bucket.ts';
import type { ShadowSample } from '../../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import type { PrunedConversation } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import type { ServedAccount } from './served-account.ts';

export interface TrafficOptions {
  readonly recallTarget: number;
  readonly hasRecovery: boolean;
  /**
   * The probability that the simulated model recovers a pruned tool. The gateway does not know the recovery
   * probability.
   */
  readonly recoveryRate: number;
  readonly random: () => number;
  /** Number of conversations that the account sends per day. */
  readonly perDay: number;
  /** The number of conversations between two of the worker's calibrations. */
  readonly every: number;
}

const windowDays = 30;
const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const accountId = '019a9f5e-0000-7000-8000-000000000001';
const setup = ['list', 'model', 'ranker'] as const;

/**
 * Passes an account's conversations through the tool router, the request log and the worker. The tool router
 * chooses the tools and the shadow conversations. The worker computes the routing policy from fields of the
 * request log.
 */
export class AccountTraffic {
  readonly #served: ServedAccount;
  readonly #options: TrafficOptions;
  #samples: ShadowSample[] = [];
  #pruned: PrunedConversation[] = [];
  #calibration: Calibration | null = null;
  #version = 0;
  policy: RoutingPolicy | null = null;
  sent = 0;
  shadows = 0;

  constructor(served: ServedAccount, options: TrafficOptions) {
    this.#served = served;
    this.#options = options;
  }

  /** The policy entry of the account's only bucket. */
  get bucket(): PolicyBucket | undefined {
    return this.#calibration?.buckets.find(({ bucket }) => bucket === this.#served.bucket);
  }

  /**
   * Sends one conversation through the tool router.
   * @param ranks the ranks of the tools that the conversation needs
   */
  send(ranks: readonly number[]): void {
    const { random, every } = this.#options;
    const share = this.#served.shareOf(this.policy);
    if (random() < share) this.#label(ranks, share);
    else this.#serve(ranks);
    this.sent += 1;
    if (this.sent % every === 0) this.calibrate();
  }

  calibrate(): void {
    const { recallTarget, hasRecovery, perDay } = this.#options;
    const oldest = new Date(startMs + (this.sent / perDay - windowDays) * dayMs).toISOString();
    if (this.sent > perDay * windowDays) {
      this.#samples = dropBefore(this.#samples, oldest);
      this.#pruned = dropBefore(this.#pruned, oldest);
    }
    const measured = { samples: this.#samples, pruned: this.#pruned };
    const next = calibrate(measured, this.#calibration, { recallTarget, hasRecovery });
    if (!isNews(this.#calibration, next)) return;
    this.#calibration = next;
    this.#version += 1;
    this.policy = renderPolicy(accountId, this.#version, new Date(startMs), next);
  }

  get #now(): string {
    return new Date(startMs + (this.sent / this.#options.perDay) * dayMs).toISOString();
  }

  #label(ranks: readonly number[], share: number): void {
    const served = this.#served;
    const { forwarded, isArmed } = served.serve(this.policy);
    const needed = [...new Set(ranks)];
    this.shadows += 1;
    this.#samples.push({
      ...{ at: this.#now, bucket: served.bucket, share, isArmed, setup },
      neededKs: needed.map((rank) => served.labelOf(rank)).sort((one, other) => other - one),
      missed: needed.filter((rank) => !forwarded.has(rank - 1)).length,
      tools: served.account.tools,
    });
  }

  #serve(ranks: readonly number[]): void {
    const { plan, forwarded, isArmed } = this.#served.serve(this.policy);
    if (!isArmed || plan.k === null) return;
    const { random, recoveryRate } = this.#options;
    const missed = [...new Set(ranks)].filter((rank) => !forwarded.has(rank - 1));
    const recovered = missed.filter(() => random() < recoveryRate).length;
    this.#pruned.push({ at: this.#now, bucket: this.#served.bucket, k: plan.k, recovered, setup });
  }
}

function dropBefore<Kept extends { readonly at: string }>(kept: Kept[], oldest: string): Kept[] {
  const from = kept.findIndex(({ at }) => at >= oldest);
  return from <= 0 ? kept : kept.slice(from);
}
