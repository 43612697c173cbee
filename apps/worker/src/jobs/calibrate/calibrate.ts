import {
  accountHead,
  priorRecoveryRate,
  recallRetest,
  recoveryRate,
  type RoutingPolicy,
} from '@gateway/contracts';
import { z } from 'zod';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { learnHeads } from './learn-heads.ts';
import { calibrate, isNews, renderPolicy, type Calibration } from './make-policy.ts';
import type { PolicyBucket, PolicyGoals } from './policy-bucket.ts';
import { readMeasurements, windowDays } from './read-measurements.ts';

const dayMs = 86_400_000;

const points = z.array(z.tuple([z.number(), z.number()]));
const storedBucket = z.object({
  bucket: z.string(),
  samples: z.number(),
  curve: points,
  toolsMean: z.number(),
  since: z.string().nullable(),
  // The previous release stored only the curve and the field `isOff` of a bucket.
  // Buckets from the previous release use the priors until the next calibration round.
  state: z.enum(['calibrated', 'prior', 'off']).default('prior'),
  reason: z
    .enum(['target_met', 'too_few_samples', 'recall_fell', 'target_missed'])
    .default('too_few_samples'),
  k: z.number().nullable().default(null),
  kWithoutRecovery: z.number().nullable().default(null),
  recoveryRate: recoveryRate.default(priorRecoveryRate),
  losses: points.default([]),
  effective: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable().default(null),
  retest: recallRetest.nullable().default(null),
});
const learned = storedBucket.extend({ from: z.string(), isUsed: z.boolean() });
const storedBuckets = z.array(storedBucket.extend({ learned: learned.nullable().default(null) }));
const storedHeads = z.array(accountHead);

/** A stored calibration of an account. */
export interface StoredCalibration extends Calibration {
  readonly version: number;
  readonly madeAt: Date;
}

export interface CalibrateContext {
  readonly database: TelemetryDatabase;
  /** Returns the account's recall target and recovery setting. Throws `not_found` for a deleted account. */
  readonly readGoals: (accountId: string) => Promise<PolicyGoals>;
  readonly announce: (policy: RoutingPolicy) => void;
  /**
   * A callback that runs after a routing policy is stored, for each bucket in which recall dropped or is
   * tested again.
   */
  readonly onRecallChange?: (change: RecallChange) => void;
  readonly now?: () => number;
}

export interface RecallChange {
  readonly accountId: string;
  readonly bucket: string;
  readonly kind: 'fell' | 'recoveries_rose' | 'setup_changed';
  /** The start of the change in recall, as RFC 3339. */
  readonly since: string | null;
}

/**
 * Computes an account's next routing policy from its conversations. If the new policy differs from the current
 * policy, the function stores the new policy and announces it to the routers.
 */
export async function calibrateAccount(context: CalibrateContext, accountId: string): Promise<void> {
  const { database, now = Date.now } = context;
  const goals = await context.readGoals(accountId);
  const previous = await readCalibration(database, accountId, null);
  const measured = await readMeasurements(database, accountId, now());
  if (previous === null && measured.samples.length === 0) return;
  const next = {
    ...calibrate(measured, previous, goals),
    heads: goals.learns === true ? await learnHeads(database, accountId, measured, previous, now()) : [],
  };
  if (!isNews(previous, next)) return;
  const madeAt = new Date(now());
  const version = (previous?.version ?? 0) + 1;
  if (!(await write(database, accountId, version, madeAt, next))) return;
  context.announce(renderPolicy(accountId, version, madeAt, next));
  for (const change of listRecallChanges(previous, next)) context.onRecallChange?.({ accountId, ...change });
}

function listRecallChanges(
  previous: Calibration | null,
  { buckets }: Calibration,
): Omit<RecallChange, 'accountId'>[] {
  return buckets.flatMap((bucket): Omit<RecallChange, 'accountId'>[] => {
    const before = previous?.buckets.find((each) => each.bucket === bucket.bucket);
    const [plain] = listChanges(bucket, before);
    const [learned] = bucket.learned?.isUsed === true ? listChanges(bucket.learned, before?.learned) : [];
    return [plain ?? learned ?? []].flat();
  });
}

/** Lists the change of a bucket's measurements, without or with account heads. */
function listChanges(
  { bucket, reason, since, retest }: Omit<PolicyBucket, 'learned'>,
  before: Omit<PolicyBucket, 'learned'> | null | undefined,
): Omit<RecallChange, 'accountId'>[] {
  if (reason === 'recall_fell' && before?.reason !== 'recall_fell') return [{ bucket, kind: 'fell', since }];
  if (retest === null || before?.retest?.reason === retest.reason) return [];
  return [{ bucket, kind: retest.reason, since: retest.since }];
}

/**
 * Reads an account's newest calibration, or a specific version. Returns null if the calibration does not
 * exist.
 */
export async function readCalibration(
  database: TelemetryDatabase,
  accountId: string,
  version: number | null,
): Promise<StoredCalibration | null> {
  const row = await database.forAccount(accountId).routingPolicy.findFirst({
    where: version === null ? {} : { version },
    orderBy: { version: 'desc' },
  });
  if (row === null) return null;
  const rate = row.recoveryRate === null ? priorRecoveryRate : recoveryRate.parse(row.recoveryRate);
  const [buckets, heads] = [storedBuckets.parse(row.buckets), storedHeads.parse(row.heads)];
  return { ...row, recoveryRate: rate, buckets, heads };
}

/**
 * Stores a calibration. Returns false if another worker has already stored this version, or if the account
 * was deleted.
 */
async function write(
  database: TelemetryDatabase,
  accountId: string,
  version: number,
  madeAt: Date,
  { recallTarget, recoveryRate: rate, buckets, heads = [] }: Calibration,
): Promise<boolean> {
  const { routingPolicy, forgottenAccount } = database.forAccount(accountId);
  const json = {
    recoveryRate: { ...rate },
    buckets: structuredClone(buckets) as object,
    heads: [...heads],
  };
  const data = { version, madeAt, recallTarget, ...json };
  const { count } = await routingPolicy.createMany({ data: [{ accountId, ...data }], skipDuplicates: true });
  // The check follows the write, so that a deletion after the check finds the written row.
  const isForgotten = (await forgottenAccount.count()) > 0;
  // Deletes older versions. A conversation keeps its policy version, but no conversation lasts a month.
  const oldest = new Date(madeAt.getTime() - windowDays * dayMs);
  await routingPolicy.deleteMany({
    where: isForgotten ? {} : { version: { lt: version }, madeAt: { lt: oldest } },
  });
  return count > 0 && !isForgotten;
}
