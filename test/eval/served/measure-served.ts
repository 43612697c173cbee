import { lossOf } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import { decideBucket, type RoutingPolicy } from '@gateway/contracts';
import { randomFrom } from '@gateway/testing';
import { runTraffic } from './run-traffic.ts';
import type { PromptSize } from '../sessions/prompt-sizes.ts';
import type { ServedConversation } from './served-account.ts';

/** The tested probabilities that the scripted model recovers a missed tool. */
export const recoveryRates = [0.6, 0.8, 0.9] as const;

/**
 * The metrics for one recall target and one true recovery rate. The metrics are means over accounts and
 * splits (random draws of traffic).
 */
export interface ServedFigures {
  readonly rho_true: number;
  /**
   * The share of splits in which the final policy meets the recall target over all of the account's conversations.
   */
  readonly met_share: number;
  readonly forwarded_recall: number;
  readonly effective_recall: number;
  readonly rho_used: number;
  /** The mean K over calibrated buckets, or null if no bucket is calibrated. */
  readonly k: number | null;
  /**
   * The mean share of buckets in each calibration state. Each bucket is weighted by its number of
   * conversations.
   */
  readonly states: Readonly<Record<'calibrated' | 'prior' | 'off', number>>;
  readonly tools_share: number;
  /** The billed cost relative to the cost of sending every tool, by prompt size. */
  readonly cost_ratio: Readonly<Record<PromptSize, number>>;
}

export interface ServedOptions {
  readonly recallTarget: number;
  readonly rhoTrue: number;
  readonly splits: number;
  readonly length: number;
  readonly seed: number;
}

interface Split {
  readonly isMet: boolean;
  readonly forwarded: number;
  readonly effective: number;
  readonly rhoUsed: number;
  readonly ks: readonly number[];
  readonly states: readonly ('calibrated' | 'prior' | 'off')[];
  readonly kept: number;
  readonly cost: Readonly<Record<PromptSize, number>>;
}

/**
 * Sends each account's traffic in each split (random draw of traffic), and then evaluates the account's routing
 * policy.
 */
export async function measureServed(
  accounts: readonly (readonly ServedConversation[])[],
  options: ServedOptions,
): Promise<ServedFigures> {
  const splits: Split[] = [];
  for (const [place, conversations] of accounts.entries())
    for (let at = 0; at < options.splits; at += 1)
      splits.push(await runSplit(conversations, options, options.seed + place * 10_000 + at));
  const ks = splits.flatMap((each) => each.ks);
  const states = splits.flatMap((each) => each.states);
  const shareOf = (state: (typeof states)[number]): number =>
    round(states.filter((each) => each === state).length / states.length);
  return {
    rho_true: options.rhoTrue,
    met_share: meanOf(splits, ({ isMet }) => Number(isMet)),
    forwarded_recall: meanOf(splits, ({ forwarded }) => forwarded),
    effective_recall: meanOf(splits, ({ effective }) => effective),
    rho_used: meanOf(splits, ({ rhoUsed }) => rhoUsed),
    k: ks.length === 0 ? null : round(ks.reduce((sum, k) => sum + k, 0) / ks.length),
    states: { calibrated: shareOf('calibrated'), prior: shareOf('prior'), off: shareOf('off') },
    tools_share: meanOf(splits, ({ kept }) => kept),
    cost_ratio: {
      small: meanOf(splits, ({ cost }) => cost.small),
      large: meanOf(splits, ({ cost }) => cost.large),
    },
  };
}

async function runSplit(
  conversations: readonly ServedConversation[],
  { recallTarget, rhoTrue, length }: ServedOptions,
  seed: number,
): Promise<Split> {
  const random = randomFrom(seed);
  const { policy, calibration } = await runTraffic({
    ...{ conversations, recallTarget, recoveryRate: rhoTrue, length, random },
  });
  const served = await Promise.all(conversations.map((each) => each.serve(policy, recallTarget)));
  const billed = await Promise.all(conversations.map((each) => each.bill(policy, recallTarget)));
  const effective = mean(served.map(({ missed, isArmed }) => 1 - lossOf(missed, isArmed ? rhoTrue : 0)));
  const decisions = conversations.map((each) => decide(policy, each));
  return {
    isMet: effective >= recallTarget,
    forwarded: mean(served.map(({ missed }) => Number(missed === 0))),
    effective,
    rhoUsed: calibration.recoveryRate.used,
    ks: decisions.flatMap(({ k }) => k ?? []),
    states: decisions.map(({ state }) => state),
    kept: mean(served.map(({ kept }) => kept)),
    cost: { small: costOf('small', billed, conversations), large: costOf('large', billed, conversations) },
  };
}

function decide(policy: RoutingPolicy, { bucket, tools }: ServedConversation) {
  const [intent = ''] = bucket.split(':');
  return decideBucket(policy, { intent, tools });
}

function costOf(
  size: PromptSize,
  billed: readonly Readonly<Record<PromptSize, number>>[],
  conversations: readonly ServedConversation[],
): number {
  return mean(billed.map((cost) => cost[size])) / mean(conversations.map(({ whole }) => whole[size]));
}

function meanOf(splits: readonly Split[], valueOf: (split: Split) => number): number {
  return round(mean(splits.map(valueOf)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
