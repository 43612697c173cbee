import type {
  RoutingCalibration,
  describeCalibration as describeCalibrationContract,
  getRoutingPolicy as getRoutingPolicyContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { readCalibration } from '../../jobs/calibrate/calibrate.ts';
import { chooseK, renderPolicy, type PolicyBucket } from '../../jobs/calibrate/make-policy.ts';
import { boundRecallAbove, boundRecallBelow } from '../../jobs/calibrate/measure-bucket.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

/** Values of K for which recall is shown, in addition to the K used by the policy. */
const shownKs = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 512];

/** Describes an account's calibrated K, and the data behind it. */
export async function describeCalibration(
  database: TelemetryDatabase,
  { accountId, recallTarget }: ParsedRequestOf<typeof describeCalibrationContract>,
): Promise<ReplyOf<typeof describeCalibrationContract>> {
  const stored = await readCalibration(database, accountId, null);
  const buckets = stored?.buckets ?? [];
  const chosen = buckets.map((bucket) => ({ bucket, k: chooseK(bucket, recallTarget) }));
  return {
    version: stored === null ? null : `c${stored.version}`,
    updatedAt: stored?.madeAt.toISOString() ?? null,
    policy: chosen.flatMap(({ bucket, k }) =>
      k === undefined ? [] : [{ bucket: bucket.bucket, k, threshold: boundAt(bucket, k) }],
    ),
    buckets: chosen.map(({ bucket, k }) => renderBucket(bucket, k, recallTarget)),
  };
}

type CalibrationBucket = RoutingCalibration['buckets'][number];

function renderBucket(bucket: PolicyBucket, k: number | undefined, recallTarget: number): CalibrationBucket {
  const { samples, toolsMean } = bucket;
  const basis = k !== undefined ? 'calibrated' : bucket.isOff ? 'off' : 'prior';
  const kMax = bucket.curve.at(-1)?.[0] ?? 0;
  const ks = new Set([...shownKs.filter((shown) => shown <= kMax), ...(k === undefined ? [] : [k]), kMax]);
  ks.delete(0);
  return {
    bucket: bucket.bucket,
    samples,
    basis,
    samples_needed: basis === 'calibrated' ? 0 : Math.max(0, countNeeded(bucket, recallTarget) - samples),
    recall_at: Object.fromEntries(
      [...ks].sort((one, other) => one - other).map((each) => [String(each), renderRecall(bucket, each)]),
    ),
    kept_share: k === undefined || toolsMean === 0 ? null : Math.min(1, k / toolsMean),
    restarted_at: bucket.since,
  };
}

function missesAt({ samples, curve }: PolicyBucket, k: number): number {
  return curve.findLast(([each]) => each <= k)?.[1] ?? samples;
}

function boundAt(bucket: PolicyBucket, k: number): number {
  return boundRecallBelow(bucket.samples, missesAt(bucket, k));
}

function renderRecall(bucket: PolicyBucket, k: number): CalibrationBucket['recall_at'][string] {
  const { samples } = bucket;
  const misses = missesAt(bucket, k);
  return {
    value: samples === 0 ? 0 : (samples - misses) / samples,
    low: boundRecallBelow(samples, misses),
    high: boundRecallAbove(samples, misses),
  };
}

/**
 * Returns the number of conversations without a miss that the bound requires: ln 0.05 / ln target, because
 * the bound for n conversations is 0.05^(1/n).
 */
function countNeeded({ samples }: PolicyBucket, recallTarget: number): number {
  return Math.max(samples + 1, Math.ceil(Math.log(0.05) / Math.log(recallTarget)));
}

/** Reads one of an account's policies in the router's format. */
export async function getRoutingPolicy(
  database: TelemetryDatabase,
  { accountId, version }: ParsedRequestOf<typeof getRoutingPolicyContract>,
): Promise<ReplyOf<typeof getRoutingPolicyContract>> {
  const wantedVersion = version === null ? null : Number(/^c([1-9]\d{0,8})$/.exec(version)?.[1]);
  if (Number.isNaN(wantedVersion)) return { policy: null };
  const stored = await readCalibration(database, accountId, wantedVersion);
  return { policy: stored && renderPolicy(accountId, stored.version, stored.madeAt, stored) };
}
