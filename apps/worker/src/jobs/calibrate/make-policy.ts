import {
  pooledBucketOf,
  type CalibratedBucket,
  type PolicyReason,
  type RecoveryRate,
  type RoutingPolicy,
} from '@gateway/contracts';
import {
  boundCurve,
  measureCurve,
  measureLosses,
  type CurvePoint,
  type ShadowSample,
} from './measure-bucket.ts';
import { boundEffective, lossOf, measureRecoveryRate, type PrunedCount } from './recovery-rate.ts';
import { findFall } from './watch-recall.ts';

/** Number of conversations used per bucket, newest first. Older ones may involve other tools. */
const samplesMax = 1_000;
const bucketsMax = 128;
/** A bucket's figures are published again once its number of conversations has changed by this share. */
const growth = 0.1;
/**
 * Up to this size, every additional conversation is published, because the share of shadow conversations
 * depends on it.
 */
const samplesInFull = 100;
/** A recovery rate is published again once it has changed by this much. */
const rateStep = 0.02;

/** A bucket as stored with its policy. */
export interface PolicyBucket {
  readonly bucket: string;
  /** Conversations in which the model called tools. */
  readonly samples: number;
  readonly state: 'calibrated' | 'prior' | 'off';
  readonly reason: PolicyReason;
  /** Null unless calibrated. */
  readonly k: number | null;
  readonly kWithoutRecovery: number | null;
  readonly recoveryRate: RecoveryRate;
  /** Conversations that miss a tool, by K. */
  readonly curve: readonly CurvePoint[];
  /** Expected losses with recovery, by K. */
  readonly losses: readonly CurvePoint[];
  /** Mean number of tools in the tool lists. */
  readonly toolsMean: number;
  /**
   * Time of the first sample, as RFC 3339. Earlier conversations are excluded because recall fell at this
   * time. Null if recall has not fallen.
   */
  readonly since: string | null;
}

/** What an account wants of its policy. */
export interface PolicyGoals {
  /** From 0.5 to 0.9999. */
  readonly recallTarget: number;
  /** Whether the account allows recovery. Without it, forwarded recall must meet the target. */
  readonly hasRecovery: boolean;
}

/** An account's measurements, from its request log. */
export interface Measurements {
  readonly samples: readonly ShadowSample[];
  readonly pruned: readonly PrunedCount[];
}

export interface Calibration {
  readonly recallTarget: number;
  /** Over all buckets. */
  readonly recoveryRate: RecoveryRate;
  readonly buckets: readonly PolicyBucket[];
}

/**
 * Computes an account's policy from its measurements. Each bucket combines an intent with a range of list
 * sizes; each size band also has a bucket for all intents. K is the smallest one whose lower bound of effective
 * recall meets the target. After a drop in recall, a bucket starts again with the conversations after the drop.
 * Until there are enough of them, the bucket is off and all tools are sent. A bucket is also off if even the
 * upper bound on the recall of its plans is below the target.
 */
export function calibrate(
  { samples, pruned }: Measurements,
  previous: Calibration | null,
  goals: PolicyGoals,
): Calibration {
  const recoveryRate = measureRecoveryRate(pruned, samples);
  const groups = [
    ...Map.groupBy(samples, ({ bucket }) => bucket),
    ...Map.groupBy(samples, ({ bucket }) => pooledBucketOf(bucket)),
  ];
  const buckets = groups
    .map(([bucket, own]) => {
      const rate = chooseRate(bucket, own, pruned, recoveryRate);
      const before = previous?.buckets.find((each) => each.bucket === bucket) ?? null;
      return calibrateBucket(bucket, own, before, goals, rate);
    })
    .sort((one, other) => other.samples - one.samples || (one.bucket < other.bucket ? -1 : 1));
  return { recallTarget: goals.recallTarget, recoveryRate, buckets: buckets.slice(0, bucketsMax) };
}

/** A bucket uses its own recovery rate once it has measured enough, and otherwise the account's. */
function chooseRate(
  bucket: string,
  samples: readonly ShadowSample[],
  pruned: readonly PrunedCount[],
  account: RecoveryRate,
): RecoveryRate {
  const own = pruned.filter((each) => each.bucket === bucket || pooledBucketOf(each.bucket) === bucket);
  const measured = measureRecoveryRate(own, samples);
  return measured.source === 'measured' ? measured : account;
}

function calibrateBucket(
  bucket: string,
  samples: readonly ShadowSample[],
  previous: PolicyBucket | null,
  goals: PolicyGoals,
  rate: RecoveryRate,
): PolicyBucket {
  const since = previous?.since ?? null;
  const own = samples
    .filter(({ at, neededKs }) => neededKs.length > 0 && (since === null || at >= since))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .slice(-samplesMax);
  const recoveryRate = goals.hasRecovery ? rate : { ...rate, used: 0 };
  const fell = previous === null || previous.k === null ? null : findFall(own, previous.k);
  if (fell !== null) {
    const after = own.slice(fell.startedAt);
    const restarted = after[0]?.at ?? own.at(-1)?.at ?? since;
    const measured = measureBucket(bucket, after, goals.recallTarget, recoveryRate);
    return { ...measured, ...offBecause('recall_fell'), since: restarted };
  }
  const measured = measureBucket(bucket, own, goals.recallTarget, recoveryRate);
  if (measured.state === 'calibrated') return { ...measured, since };
  if (previous?.state === 'off') return { ...measured, ...offBecause(previous.reason), since };
  if (isTargetMissed(own, goals.recallTarget, recoveryRate.used))
    return { ...measured, ...offBecause('target_missed'), since };
  return { ...measured, since };
}

function offBecause(reason: PolicyReason): Pick<PolicyBucket, 'state' | 'reason' | 'k' | 'kWithoutRecovery'> {
  return { state: 'off', reason, k: null, kWithoutRecovery: null };
}

/** Whether even the upper bound on the effective recall of the plans that were made is below the target. */
function isTargetMissed(
  samples: readonly ShadowSample[],
  recallTarget: number,
  recoveryRate: number,
): boolean {
  const losses = samples.reduce(
    (sum, { missed, isArmed }) => sum + lossOf(missed, isArmed ? recoveryRate : 0),
    0,
  );
  return boundEffective(samples.length, losses).high < recallTarget;
}

function measureBucket(
  bucket: string,
  samples: readonly ShadowSample[],
  recallTarget: number,
  recoveryRate: RecoveryRate,
): Omit<PolicyBucket, 'since'> {
  const curve = measureCurve(samples);
  const losses = measureLosses(samples, (misses) => lossOf(misses, recoveryRate.used));
  const meets = ([, lost]: CurvePoint): boolean => boundEffective(samples.length, lost).low >= recallTarget;
  const k = losses.find(meets)?.[0] ?? null;
  const kWithoutRecovery = curve.find(meets)?.[0] ?? null;
  const tools = samples.reduce((sum, each) => sum + each.tools, 0);
  return {
    bucket,
    samples: samples.length,
    state: k === null ? 'prior' : 'calibrated',
    reason: k === null ? 'too_few_samples' : 'target_met',
    k,
    kWithoutRecovery: k === null ? null : kWithoutRecovery,
    recoveryRate,
    curve,
    losses,
    toolsMean: samples.length === 0 ? 0 : tools / samples.length,
  };
}

/** Whether the new calibration changes plans, or the published figures are out of date. */
export function isNews(previous: Calibration | null, next: Calibration): boolean {
  if (previous === null || previous.recallTarget !== next.recallTarget) return true;
  if (previous.buckets.length !== next.buckets.length) return true;
  if (Math.abs(previous.recoveryRate.used - next.recoveryRate.used) >= rateStep) return true;
  return next.buckets.some((bucket) => {
    const before = previous.buckets.find((each) => each.bucket === bucket.bucket);
    if (before === undefined || before.since !== bucket.since) return true;
    const decides = ['state', 'reason', 'k', 'kWithoutRecovery'] as const;
    if (decides.some((field) => before[field] !== bucket[field])) return true;
    const grown = Math.abs(bucket.samples - before.samples);
    return grown > 0 && (bucket.samples <= samplesInFull || grown >= before.samples * growth);
  });
}

/** Renders the policy as the router applies it and the API shows it. */
export function renderPolicy(
  accountId: string,
  version: number,
  madeAt: Date,
  { recallTarget, recoveryRate, buckets }: Calibration,
): RoutingPolicy {
  const byName = new Map(buckets.map((each) => [each.bucket, each]));
  return {
    accountId,
    version: `c${version}`,
    madeAt: madeAt.toISOString(),
    recallTarget,
    recoveryRate,
    buckets: buckets.map((each) => renderBucket(each, byName.get(pooledBucketOf(each.bucket)))),
  };
}

/** A bucket that has measured too little follows the bucket for all intents in its size band. */
function renderBucket(own: PolicyBucket, pooled: PolicyBucket | undefined): CalibratedBucket {
  const decided = own.state === 'prior' && pooled !== undefined && pooled.state !== 'prior' ? pooled : own;
  const { state, reason, k, kWithoutRecovery, recoveryRate, samples, curve, losses } = decided;
  return {
    bucket: own.bucket,
    samples: own.samples,
    isOff: state === 'off',
    steps: boundCurve(samples, curve).filter(([, low]) => low > 0),
    state,
    reason,
    decidedBy: decided.bucket,
    k,
    kWithoutRecovery,
    recoveryRate,
    expected:
      k === null
        ? null
        : {
            forwarded: boundEffective(samples, lostAt(curve, k, samples)),
            effective: boundEffective(samples, lostAt(losses, k, samples)),
          },
  };
}

/** The misses or losses at K: those of the largest point that K reaches. */
export function lostAt(points: readonly CurvePoint[], k: number, samples: number): number {
  return points.findLast(([each]) => each <= k)?.[1] ?? samples;
}
