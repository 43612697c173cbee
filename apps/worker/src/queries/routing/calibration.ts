import {
  priorRecoveryRate,
  type CalibratedBucket,
  type LearnedBucket,
  type RecoveryRate,
  type RoutingCalibration,
  type describeCalibration as describeCalibrationContract,
  type getRoutingPolicy as getRoutingPolicyContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { readCalibration, type StoredCalibration } from '../../jobs/calibrate/calibrate.ts';
import { lostAt, renderPolicy } from '../../jobs/calibrate/make-policy.ts';
import type { PolicyBucket } from '../../jobs/calibrate/policy-bucket.ts';
import { boundEffective } from '../../jobs/calibrate/recovery-rate.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

/**
 * Values of K (the number of ranked tools) for which recall is shown, in addition to the K of the routing
 * policy.
 */
const shownKs = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 512];

/**
 * Describes an account's routing policy as the router applies it, together with the underlying
 * data.
 */
export async function describeCalibration(
  database: TelemetryDatabase,
  { accountId, recallTarget }: ParsedRequestOf<typeof describeCalibrationContract>,
): Promise<ReplyOf<typeof describeCalibrationContract>> {
  const stored = await readCalibration(database, accountId, null);
  if (stored === null)
    return {
      version: null,
      updatedAt: null,
      recallTarget,
      recoveryRate: renderRate(priorRecoveryRate),
      policy: [],
      buckets: [],
    };
  return renderCalibration(accountId, stored);
}

/** Renders a stored routing policy in the form that the API returns. */
export function renderCalibration(
  accountId: string,
  stored: StoredCalibration,
): ReplyOf<typeof describeCalibrationContract> {
  const policy = renderPolicy(accountId, stored.version, stored.madeAt, stored);
  const byName = new Map(stored.buckets.map((each) => [each.bucket, each]));
  return {
    version: policy.version,
    updatedAt: policy.madeAt,
    recallTarget: stored.recallTarget,
    recoveryRate: renderRate(stored.recoveryRate),
    policy: policy.buckets.flatMap(({ bucket, k, expected }) =>
      typeof k === 'number' && expected ? [{ bucket, k, threshold: expected.effective.low }] : [],
    ),
    buckets: policy.buckets.flatMap((decided) => {
      const own = byName.get(decided.bucket);
      return own === undefined ? [] : [renderBucket(own, decided, stored.recallTarget)];
    }),
  };
}

type CalibrationBucket = RoutingCalibration['buckets'][number];

function renderBucket(own: PolicyBucket, decided: CalibratedBucket, recallTarget: number): CalibrationBucket {
  const { samples, toolsMean } = own;
  const { state = 'prior', reason = 'too_few_samples', k = null, kWithoutRecovery = null } = decided;
  const kMax = own.curve.at(-1)?.[0] ?? 0;
  const ks = new Set([...shownKs.filter((shown) => shown <= kMax), ...(k === null ? [] : [k]), kMax]);
  ks.delete(0);
  return {
    bucket: own.bucket,
    samples,
    basis: state,
    reason,
    decided_by: decided.decidedBy ?? own.bucket,
    k,
    k_without_recovery: kWithoutRecovery,
    forwarded_recall: decided.expected?.forwarded ?? null,
    effective_recall: decided.expected?.effective ?? null,
    recovery_rate: renderRate(decided.recoveryRate ?? own.recoveryRate),
    samples_needed: state === 'calibrated' ? 0 : Math.max(0, countNeeded(own, recallTarget) - samples),
    recall_at: Object.fromEntries(
      [...ks]
        .sort((one, other) => one - other)
        .map((each) => [String(each), boundEffective(samples, lostAt(own.curve, each, samples))]),
    ),
    kept_share: k === null || toolsMean === 0 ? null : Math.min(1, k / toolsMean),
    retest: decided.retest ?? null,
    restarted_at: own.since,
    learning: decided.learned ? renderLearned(decided.learned) : null,
  };
}

function renderLearned(learned: LearnedBucket): CalibrationBucket['learning'] {
  const { isUsed, decidedBy = null, samples, since, k, kWithoutRecovery, expected } = learned;
  return {
    ...{ used: isUsed, decided_by: decidedBy, samples, since, k, k_without_recovery: kWithoutRecovery },
    forwarded_recall: expected?.forwarded ?? null,
    effective_recall: expected?.effective ?? null,
  };
}

function renderRate(rate: RecoveryRate): RoutingCalibration['recovery_rate'] {
  const { used, source, measured } = rate;
  return {
    used,
    source,
    measured,
    pruned_conversations: rate.prunedConversations,
    recovered_tools: rate.recoveredTools,
    shadow_conversations: rate.shadowConversations,
    missed_tools: rate.missedTools,
  };
}

/**
 * Returns how many conversations without a missed tool are needed for the lower bound of recall to reach the target.
 * The required number is ln 0.05 / ln target, because the bound for n conversations is 0.05^(1/n).
 */
function countNeeded({ samples }: PolicyBucket, recallTarget: number): number {
  return Math.max(samples + 1, Math.ceil(Math.log(0.05) / Math.log(recallTarget)));
}

/** Reads one of an account's routing policies in the format of the router. */
export async function getRoutingPolicy(
  database: TelemetryDatabase,
  { accountId, version }: ParsedRequestOf<typeof getRoutingPolicyContract>,
): Promise<ReplyOf<typeof getRoutingPolicyContract>> {
  const wantedVersion = version === null ? null : Number(/^c([1-9]\d{0,8})$/.exec(version)?.[1]);
  if (Number.isNaN(wantedVersion)) return { policy: null };
  const stored = await readCalibration(database, accountId, wantedVersion);
  return { policy: stored && renderPolicy(accountId, stored.version, stored.madeAt, stored) };
}
