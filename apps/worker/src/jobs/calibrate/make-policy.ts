import { pooledBucketOf, type RoutingPolicy } from '@gateway/contracts';
import {
  boundCurve,
  boundPlannedRecall,
  measureCurve,
  type CurvePoint,
  type ShadowSample,
} from './measure-bucket.ts';
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

/** A bucket as stored with its policy. */
export interface PolicyBucket {
  readonly bucket: string;
  readonly samples: number;
  readonly isOff: boolean;
  readonly curve: readonly CurvePoint[];
  /** Mean number of tools in the tool lists. */
  readonly toolsMean: number;
  /**
   * Time of the first sample, as RFC 3339. Earlier conversations are excluded because recall fell at this
   * time. Null if recall has not fallen.
   */
  readonly since: string | null;
}

export interface Calibration {
  readonly recallTarget: number;
  readonly buckets: readonly PolicyBucket[];
}

/**
 * Computes a calibration from an account's shadow conversations. Each bucket combines an intent with a range
 * of list sizes; each size band also has a bucket for all intents. After a drop in recall, a bucket starts
 * again with the conversations after the drop. Until there are enough of them, the bucket is off and all
 * tools are sent. Pruning is also off for a bucket if even the upper confidence bound on its recall is below the target.
 */
export function calibrate(
  samples: readonly ShadowSample[],
  previous: Calibration | null,
  recallTarget: number,
): Calibration {
  const byBucket = Map.groupBy(samples, ({ bucket }) => bucket);
  const pooled = Map.groupBy(samples, ({ bucket }) => pooledBucketOf(bucket));
  const buckets = [...byBucket, ...pooled]
    .map(([bucket, own]) =>
      calibrateBucket(bucket, own, previous?.buckets.find((each) => each.bucket === bucket) ?? null, {
        inForce: previous?.recallTarget ?? recallTarget,
        recallTarget,
      }),
    )
    .sort((one, other) => other.samples - one.samples || (one.bucket < other.bucket ? -1 : 1));
  return { recallTarget, buckets: buckets.slice(0, bucketsMax) };
}

function calibrateBucket(
  bucket: string,
  samples: readonly ShadowSample[],
  previous: PolicyBucket | null,
  targets: { readonly inForce: number; readonly recallTarget: number },
): PolicyBucket {
  const since = previous?.since ?? null;
  const own = samples
    .filter(({ at }) => since === null || at >= since)
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .slice(-samplesMax);
  const k = previous === null ? undefined : chooseK(previous, targets.inForce);
  const fell = k === undefined ? null : findFall(own, k);
  if (fell !== null) {
    const after = own.slice(fell.startedAt);
    return { ...describe(bucket, after), isOff: true, since: after[0]?.at ?? own.at(-1)?.at ?? since };
  }
  const isBelow = boundPlannedRecall(own) < targets.recallTarget;
  return { ...describe(bucket, own), isOff: (previous?.isOff ?? false) || isBelow, since };
}

function describe(bucket: string, samples: readonly ShadowSample[]): Omit<PolicyBucket, 'isOff' | 'since'> {
  const tools = samples.reduce((sum, each) => sum + each.tools, 0);
  return {
    bucket,
    samples: samples.length,
    curve: measureCurve(samples),
    toolsMean: samples.length === 0 ? 0 : tools / samples.length,
  };
}

/** Chooses the smallest K with a lower bound at or above the target. */
export function chooseK({ samples, curve }: PolicyBucket, recallTarget: number): number | undefined {
  return boundCurve(samples, curve).find(([, low]) => low >= recallTarget)?.[0];
}

/** Whether the new calibration changes plans, or the published figures are out of date. */
export function isNews(previous: Calibration | null, next: Calibration): boolean {
  if (previous === null || previous.recallTarget !== next.recallTarget) return true;
  if (previous.buckets.length !== next.buckets.length) return true;
  return next.buckets.some((bucket) => {
    const before = previous.buckets.find((each) => each.bucket === bucket.bucket);
    if (before === undefined || before.isOff !== bucket.isOff || before.since !== bucket.since) return true;
    if (chooseK(before, next.recallTarget) !== chooseK(bucket, next.recallTarget)) return true;
    const grown = Math.abs(bucket.samples - before.samples);
    return grown > 0 && (bucket.samples <= samplesInFull || grown >= before.samples * growth);
  });
}

/** Renders the policy for the router. */
export function renderPolicy(
  accountId: string,
  version: number,
  madeAt: Date,
  { buckets }: Calibration,
): RoutingPolicy {
  return {
    accountId,
    version: `c${version}`,
    madeAt: madeAt.toISOString(),
    buckets: buckets.map(({ bucket, samples, isOff, curve }) => ({
      bucket,
      samples,
      isOff,
      steps: boundCurve(samples, curve).filter(([, low]) => low > 0),
    })),
  };
}
