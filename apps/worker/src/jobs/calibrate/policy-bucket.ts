import type { BoundedRecall, PolicyReason, RecallRetest, RecoveryRate } from '@gateway/contracts';
import { boundEffectiveAt, meetsTarget, type MissCounts } from './bound-effective.ts';
import {
  boundRecallAbove,
  boundRecallBelow,
  measureCurve,
  measureLosses,
  type CurvePoint,
  type ShadowSample,
} from './measure-bucket.ts';
import { boundEffective, lossOf, type PrunedConversation } from './recovery-rate.ts';
import { watchRecall, type RecallState, type WatchedConversation } from './watch-recall.ts';

/** Number of conversations used per bucket, newest first. Older conversations may have used different tools. */
const samplesMax = 1_000;

/** A bucket in the form that is stored with the account's routing policy. */
export interface PolicyBucket {
  readonly bucket: string;
  /** Number of conversations in which the model called tools. */
  readonly samples: number;
  readonly state: 'calibrated' | 'prior' | 'off';
  readonly reason: PolicyReason;
  /** The smallest K that meets the recall target. Null unless the bucket is calibrated. */
  readonly k: number | null;
  readonly kWithoutRecovery: number | null;
  readonly recoveryRate: RecoveryRate;
  /** Number of conversations that miss a tool, by K (the number of ranked tools). */
  readonly curve: readonly CurvePoint[];
  /** For each K (number of ranked tools), the sum of the expected losses if recovery is enabled. */
  readonly losses: readonly CurvePoint[];
  /** Effective recall at K, with its bounds. Null unless the bucket is calibrated. */
  readonly effective: BoundedRecall | null;
  /** Mean number of tools per tool list. */
  readonly toolsMean: number;
  /**
   * Time of the first sample, as RFC 3339. The bucket excludes conversations before a drop in recall.
   * Null if recall has not dropped.
   */
  readonly since: string | null;
  /**
   * The reason why recall is tested again, with more shadow conversations. Null if recall is not tested
   * again.
   */
  readonly retest: RecallRetest | null;
  /** The bucket's measurements with account heads. Null if no account head has ranked a measured conversation. */
  readonly learned?: LearnedMeasurements | null;
}

/** The measurements of a bucket with account heads. */
export interface LearnedMeasurements extends Omit<PolicyBucket, 'learned'> {
  /** The time of the first conversation that was measured with an account head, as RFC 3339. */
  readonly from: string;
  /** Whether new conversations use the account head. */
  readonly isUsed: boolean;
}

/** An account's recall target and recovery setting. */
export interface PolicyGoals {
  /** The target for effective recall, from 0.5 to 0.9999. */
  readonly recallTarget: number;
  /** Whether the account allows recovery. Without recovery, forwarded recall must meet the target. */
  readonly hasRecovery: boolean;
  /** Whether the worker trains account heads. The default is false. */
  readonly learns?: boolean;
}

/** The measurements of an account or of one of its buckets, taken from the request log. */
export interface Measurements {
  readonly samples: readonly ShadowSample[];
  readonly pruned: readonly PrunedConversation[];
}

/**
 * Calibrates one bucket of conversations.
 * @param rate the recovery rate, which is ignored for an account without recovery.
 */
export function calibrateBucket(
  bucket: string,
  { samples, pruned }: Measurements,
  previous: PolicyBucket | null,
  goals: PolicyGoals,
  rate: RecoveryRate,
): PolicyBucket {
  const since = previous?.since ?? null;
  const isCounted = ({ at }: { readonly at: string }): boolean => since === null || at >= since;
  const own = samples
    .filter((sample) => sample.neededKs.length > 0 && isCounted(sample))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .slice(-samplesMax);
  const recoveryRate = goals.hasRecovery ? rate : { ...rate, used: 0 };
  const watched = watchBucket(own, pruned.filter(isCounted), previous?.k ?? null);
  if (watched.state === 'fell') {
    const after = own.filter(({ at }) => watched.since !== null && at >= watched.since);
    const measured = measureBucket(bucket, after, goals.recallTarget, recoveryRate);
    return { ...measured, ...offBecause('recall_fell'), since: watched.since ?? since, retest: null };
  }
  const retest = renderRetest(watched);
  const measured = { ...measureBucket(bucket, own, goals.recallTarget, recoveryRate), since, retest };
  if (measured.state === 'calibrated') return measured;
  if (previous?.state === 'off') return { ...measured, ...offBecause(previous.reason) };
  if (isTargetMissed(own, goals.recallTarget, recoveryRate.used))
    return { ...measured, ...offBecause('target_missed') };
  return measured;
}

/**
 * Tests for a drop in recall. The test requires a measured K (number of ranked tools), because the expected
 * recall is known only for a measured K.
 */
function watchBucket(
  samples: readonly ShadowSample[],
  pruned: readonly PrunedConversation[],
  k: number | null,
): RecallState {
  if (k === null) return { state: 'usual', since: null };
  const conversations: WatchedConversation[] = [
    ...samples.map(
      ({ at, setup, neededKs, share }) => ({ kind: 'shadow', at, setup, neededKs, share }) as const,
    ),
    ...pruned.map(
      ({ at, setup, k: served, recovered }) => ({ kind: 'pruned', at, setup, k: served, recovered }) as const,
    ),
  ];
  return watchRecall(
    conversations.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)),
    k,
  );
}

function renderRetest({ state, since }: RecallState): RecallRetest | null {
  if (since === null) return null;
  if (state === 'suspected') return { reason: 'recoveries_rose', since };
  return state === 'changed' ? { reason: 'setup_changed', since } : null;
}

type Off = Pick<PolicyBucket, 'state' | 'reason' | 'k' | 'kWithoutRecovery' | 'effective'>;

function offBecause(reason: PolicyReason): Off {
  return { state: 'off', reason, k: null, kWithoutRecovery: null, effective: null };
}

/** Whether even the upper bound of effective recall for the computed plans is below the target. */
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
): Omit<PolicyBucket, 'since' | 'retest'> {
  const curve = measureCurve(samples);
  const losses = measureLosses(samples, (misses) => lossOf(misses, recoveryRate.used));
  const { used } = recoveryRate;
  const place = findFirst(losses, ([at, lost]) =>
    meetsTarget(countMisses(samples, at, lost), used, recallTarget),
  );
  const [k = null, lost = 0] = place === null ? [] : (losses[place] ?? []);
  const kWithoutRecovery =
    curve.find(([, misses]) => boundRecallBelow(samples.length, misses) >= recallTarget)?.[0] ?? null;
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
    effective: k === null ? null : boundEffectiveAt(countMisses(samples, k, lost), used),
    toolsMean: samples.length === 0 ? 0 : tools / samples.length,
  };
}

/**
 * A bucket with too few measurements uses the policy of the bucket for all intents in its size band. A bucket with
 * earlier plans that missed the target does so too, if the K of all intents is measured.
 */
export function decidePlain(
  own: PolicyBucket,
  pooled: PolicyBucket | undefined,
  recallTarget: number,
): PolicyBucket {
  if (pooled === undefined || pooled.state === 'prior') return own;
  const isMissed = own.reason === 'target_missed' && pooled.state === 'calibrated';
  if (own.state !== 'prior' && !isMissed) return own;
  return raiseK(pooled, own, (samples, lost) => boundRecallAbove(samples, lost) >= recallTarget);
}

/**
 * Raises the K of the bucket for all intents to the smallest K that the own conversations of a bucket do not
 * contradict. A larger K never lowers recall, so it also meets the bounds of the bucket for all intents. These bounds hold
 * for the mean of all intents, not for each intent.
 * @param isMet whether a number of conversations with a number of misses, or a sum of losses, is compatible with the
 * recall target
 */
export function raiseK<Policy extends PolicyBucket>(
  pooled: Policy,
  own: PolicyBucket | null,
  isMet: (samples: number, lost: number) => boolean,
): Policy {
  if (own === null) return pooled;
  const raise = (k: number | null, points: readonly CurvePoint[]): number | null =>
    k === null ? null : Math.max(k, points.find(([, lost]) => isMet(own.samples, lost))?.[0] ?? k);
  const [k, kWithoutRecovery] = [raise(pooled.k, own.losses), raise(pooled.kWithoutRecovery, own.curve)];
  const effective = k === pooled.k ? pooled.effective : null;
  return { ...pooled, k, kWithoutRecovery, effective };
}

function countMisses(samples: readonly ShadowSample[], k: number, losses: number): MissCounts {
  let [one, more] = [0, 0];
  for (const { neededKs } of samples) {
    if ((neededKs[1] ?? 0) > k) more += 1;
    else if ((neededKs[0] ?? 0) > k) one += 1;
  }
  return { samples: samples.length, one, more, losses };
}

/**
 * Returns the index of the first value that meets a condition. Values that do not meet the condition must come before
 * all values that meet the condition. Returns null if no value meets the condition.
 */
function findFirst<Value>(values: readonly Value[], isMet: (value: Value) => boolean): number | null {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = values[middle];
    if (value !== undefined && isMet(value)) high = middle;
    else low = middle + 1;
  }
  return low < values.length ? low : null;
}
