import type { RoutingPolicy } from '@gateway/contracts';
import {
  calibrate,
  renderPolicy,
  type Calibration,
} from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import type { ShadowSample } from '../../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import type { PrunedConversation } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import type { Served, ServedConversation } from './served-account.ts';

export interface Traffic {
  /** The account's conversations. The simulated traffic draws random conversations from the list. */
  readonly conversations: readonly ServedConversation[];
  readonly recallTarget: number;
  /**
   * The probability that the scripted model recovers a missed tool. The gateway does not know the recovery
   * probability.
   */
  readonly recoveryRate: number;
  /** The number of conversations that the account sends in total. */
  readonly length: number;
  readonly random: () => number;
}

export interface TrafficResult {
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
}

/**
 * The probability of a shadow conversation is `learningShare` for an account's first `learningSamples`
 * measured conversations, and `usualShare` later.
 */
const [learningShare, learningSamples, usualShare] = [0.2, 100, 0.05];
/** The relative growth in shadow conversations after which the worker computes a new policy. */
const growth = 1.2;
const firstSamples = 20;
const setup = ['list', 'model', 'ranker'] as const;
const accountId = '019a9f5e-0000-7000-8000-000000000001';

/**
 * Sends conversations through the planner, the request log and calibration, like the gateway does. Random
 * conversations become shadow conversations, and all other conversations use the current routing policy. The
 * worker computes new policies while conversations arrive.
 */
export async function runTraffic(traffic: Traffic): Promise<TrafficResult> {
  const { conversations, recallTarget, recoveryRate, length, random } = traffic;
  const samples: ShadowSample[] = [];
  const pruned: PrunedConversation[] = [];
  let calibration: Calibration | null = null;
  let policy: RoutingPolicy | null = null;
  let nextAt = firstSamples;
  for (let at = 0; at < length; at += 1) {
    const conversation = conversations[Math.floor(random() * conversations.length)];
    if (conversation === undefined) throw new Error('the account has no conversation');
    const served = await conversation.serve(policy, recallTarget);
    const share = samples.length < learningSamples ? learningShare : usualShare;
    if (random() < share) samples.push(sampleOf(conversation, served, at, share));
    else if (served.isArmed) pruned.push(prunedOf(conversation, served, at, () => random() < recoveryRate));
    if (samples.length < nextAt && at < length - 1) continue;
    nextAt = Math.ceil(samples.length * growth);
    calibration = calibrate({ samples, pruned }, calibration, {
      recallTarget,
      hasRecovery: true,
    });
    policy = renderPolicy(accountId, 1, new Date(0), calibration);
  }
  if (calibration === null || policy === null) throw new Error('the traffic ended without a routing policy');
  return { calibration, policy };
}

/** Returns the time of the account's nth conversation. */
function timeOf(at: number): string {
  return new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString();
}

function sampleOf(
  { bucket, neededKs, tools }: ServedConversation,
  { missed, isArmed }: { readonly missed: number; readonly isArmed: boolean },
  at: number,
  share: number,
): ShadowSample {
  return { at: timeOf(at), bucket, neededKs, missed, isArmed, share, tools, setup };
}

function prunedOf(
  { bucket, tools }: ServedConversation,
  { missed, kept }: Pick<Served, 'missed' | 'kept'>,
  at: number,
  recovers: () => boolean,
): PrunedConversation {
  const recovered = Array.from({ length: missed }, recovers).filter(Boolean).length;
  return { at: timeOf(at), bucket, k: Math.round(kept * tools), recovered, setup };
}
