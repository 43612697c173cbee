import {
  pooledBucketOf,
  type AccountHead,
  type CalibratedBucket,
  type ExpectedRecall,
  type LearnedBucket,
  type RecoveryRate,
  type RoutingPolicy,
} from '@gateway/contracts';
import { decideLearned, isSmaller } from './learn-heads.ts';
import { boundCurve, type CurvePoint, type ShadowSample } from './measure-bucket.ts';
import {
  calibrateBucket,
  decidePlain,
  type Measurements,
  type LearnedMeasurements,
  type PolicyBucket,
  type PolicyGoals,
} from './policy-bucket.ts';
import {
  boundEffective,
  countPruned,
  measureRecoveryRate,
  type PrunedConversation,
  type PrunedCount,
} from './recovery-rate.ts';

const bucketsMax = 128;
/** Growth in a bucket's number of conversations, as a share, after which its figures are published again. */
const growth = 0.1;
/**
 * If a bucket has at most this number of conversations, its figures are published after every new conversation.
 * The published figures determine the share of conversations that are selected as shadow conversations.
 */
const samplesInFull = 100;
/** Minimum change of the recovery rate after which the rate is published again. */
const rateStep = 0.02;

export interface Calibration {
  readonly recallTarget: number;
  /** The recovery rate over all buckets. */
  readonly recoveryRate: RecoveryRate;
  readonly buckets: readonly PolicyBucket[];
  /** The account heads of the most used tool lists. */
  readonly heads?: readonly AccountHead[];
}

/**
 * Computes an account's routing policy from its measurements. Each bucket combines an intent with a size band.
 * Each size band also has a bucket for all intents. K (the number of ranked tools) is the smallest value for
 * which the lower bound of effective recall meets the target. After a drop in recall, only the conversations
 * after the drop count for a bucket. Until there are enough conversations after the drop, all tools are sent
 * in the bucket. All tools are also sent if the upper bound of recall for the bucket's plans is below the
 * target.
 */
export function calibrate(
  { samples, pruned }: Measurements,
  previous: Calibration | null,
  goals: PolicyGoals,
): Calibration {
  const counts = countPruned(pruned);
  const recoveryRate = measureRecoveryRate(counts, samples);
  const groups = [
    ...Map.groupBy(samples, ({ bucket }) => bucket),
    ...Map.groupBy(samples, ({ bucket }) => pooledBucketOf(bucket)),
  ];
  const served = Map.groupBy(pruned, ({ bucket }) => bucket);
  const servedInBand = Map.groupBy(pruned, ({ bucket }) => pooledBucketOf(bucket));
  const buckets = groups
    .map(([bucket, own]) => {
      const rate = chooseRate(bucket, own, counts, recoveryRate);
      const before = previous?.buckets.find((each) => each.bucket === bucket) ?? null;
      const measured = { samples: own, pruned: served.get(bucket) ?? servedInBand.get(bucket) ?? [] };
      return calibrateBoth(bucket, measured, before, goals, rate);
    })
    .sort((one, other) => other.samples - one.samples || (one.bucket < other.bucket ? -1 : 1));
  return { recallTarget: goals.recallTarget, recoveryRate, buckets: buckets.slice(0, bucketsMax) };
}

/** The end of the name of a ranker with an account head. */
const byHead = '+head';

/**
 * Calibrates a bucket without account heads and, if conversations were measured with account heads, also with account
 * heads. Each of these conversations is later than the conversations that its account head was trained on.
 */
function calibrateBoth(
  bucket: string,
  { samples, pruned }: Measurements,
  before: PolicyBucket | null,
  goals: PolicyGoals,
  rate: RecoveryRate,
): PolicyBucket {
  const isByHead = ({ setup: [, , ranker] }: PrunedConversation): boolean =>
    ranker?.endsWith(byHead) === true;
  const plain = { samples, pruned: pruned.filter((each) => !isByHead(each)) };
  const own = calibrateBucket(bucket, plain, before, goals, rate);
  // The plan of a shadow conversation may not have used the account head, so its misses do not count here.
  const byHeads = samples.flatMap((each) =>
    each.learnedKs ? [{ ...each, neededKs: each.learnedKs, missed: 0 }] : [],
  );
  const from = byHeads.reduce((first, { at }) => (first === '' || at < first ? at : first), '');
  if (goals.learns !== true || from === '') return own;
  const measured = { samples: byHeads, pruned: pruned.filter(isByHead) };
  const learned = calibrateBucket(bucket, measured, before?.learned ?? null, goals, rate);
  const isUsed = isSmaller(learned, own, before?.learned?.isUsed === true);
  return { ...own, learned: { ...learned, from, isUsed } };
}

/**
 * A bucket uses its own recovery rate if the rate is based on enough measurements. A bucket with too few
 * measurements uses the account's recovery rate.
 */
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

/**
 * Whether the new calibration must be stored. A calibration is stored if the new policy changes plans, or if
 * the published figures are out of date.
 */
export function isNews(previous: Calibration | null, next: Calibration): boolean {
  if (previous === null || previous.recallTarget !== next.recallTarget) return true;
  if (previous.buckets.length !== next.buckets.length) return true;
  const madeAt = ({ heads = [] }: Calibration): string => heads.map((head) => head.list + head.madeAt).join();
  if (madeAt(previous) !== madeAt(next)) return true;
  if (Math.abs(previous.recoveryRate.used - next.recoveryRate.used) >= rateStep) return true;
  const before = new Map(renderBuckets(previous).map((each) => [each.bucket, each]));
  const hasChanged = renderBuckets(next).some(
    (bucket) => decides(bucket) !== decides(before.get(bucket.bucket)),
  );
  return hasChanged || next.buckets.some((bucket) => isGrown(bucket, previous));
}

/** Renders the fields of a bucket that change plans or the share of shadow conversations. */
function decides(bucket: CalibratedBucket | undefined): string {
  const { state, reason, decidedBy, k, kWithoutRecovery, retest, learned } = bucket ?? {};
  const { isUsed, k: learnedK, kWithoutRecovery: without, decidedBy: by } = learned ?? {};
  const own = [state, reason, decidedBy, k, kWithoutRecovery, retest?.reason];
  return JSON.stringify([bucket?.bucket, own, [isUsed, learnedK, without, by]]);
}

function isGrown({ bucket, since, samples }: PolicyBucket, previous: Calibration): boolean {
  const before = previous.buckets.find((each) => each.bucket === bucket);
  if (before === undefined || before.since !== since) return true;
  const grown = Math.abs(samples - before.samples);
  return grown > 0 && (samples <= samplesInFull || grown >= before.samples * growth);
}

/** Renders the routing policy in the form that the router applies and the API returns. */
export function renderPolicy(
  accountId: string,
  version: number,
  madeAt: Date,
  calibration: Calibration,
): RoutingPolicy {
  const { recallTarget, recoveryRate, heads = [] } = calibration;
  return {
    accountId,
    version: `c${version}`,
    madeAt: madeAt.toISOString(),
    recallTarget,
    recoveryRate,
    buckets: renderBuckets(calibration),
    ...(heads.length === 0 ? {} : { heads: [...heads] }),
  };
}

function renderBuckets({ buckets, recallTarget }: Calibration): CalibratedBucket[] {
  const byName = new Map(buckets.map((each) => [each.bucket, each]));
  return buckets.map((each) => renderBucket(each, byName.get(pooledBucketOf(each.bucket)), recallTarget));
}

function renderBucket(
  own: PolicyBucket,
  pooled: PolicyBucket | undefined,
  recallTarget: number,
): CalibratedBucket {
  const decided = decidePlain(own, pooled, recallTarget);
  const learned = decideLearned(own, pooled, decided, recallTarget);
  const { state, reason, k, kWithoutRecovery, recoveryRate, samples, curve, retest } = decided;
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
    retest: retest ?? (learned?.isUsed === true ? learned.retest : null),
    expected: expectedAt(decided),
    ...(learned === null ? {} : { learned: renderLearned(learned) }),
  };
}

function renderLearned(learned: LearnedMeasurements): LearnedBucket {
  const { isUsed, bucket, from, samples, curve, k, kWithoutRecovery } = learned;
  const steps = boundCurve(samples, curve).filter(([, low]) => low > 0);
  return {
    ...{ isUsed, decidedBy: bucket, samples, since: from, steps, k, kWithoutRecovery },
    expected: expectedAt(learned),
  };
}

function expectedAt({ k, samples, curve, losses, effective }: PolicyBucket): ExpectedRecall | null {
  if (k === null) return null;
  return {
    forwarded: boundEffective(samples, lostAt(curve, k, samples)),
    effective: effective ?? boundEffective(samples, lostAt(losses, k, samples)),
  };
}

/**
 * Returns the number of misses, or the sum of losses, at the largest measured K (number of ranked tools) up to `k`.
 */
export function lostAt(points: readonly CurvePoint[], k: number, samples: number): number {
  return points.findLast(([each]) => each <= k)?.[1] ?? samples;
}
