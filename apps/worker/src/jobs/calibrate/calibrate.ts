import { priorRecoveryRate, recoveryRate, type RoutingPolicy } from '@gateway/contracts';
import { z } from 'zod';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import {
  calibrate,
  isNews,
  renderPolicy,
  type Calibration,
  type Measurements,
  type PolicyGoals,
} from './make-policy.ts';
import type { ShadowSample } from './measure-bucket.ts';
import type { PrunedCount } from './recovery-rate.ts';

/** Older requests are ignored, because traffic changes. */
const days = 30;
const dayMs = 86_400_000;
const samplesMax = 20_000;
/** Maximum number of needed tools read per conversation, those that need the largest K first. */
const needsMax = 32;
/** Number of pruned requests from which the recovery rate is measured, newest first. */
const prunedRequestsMax = 50_000;

const points = z.array(z.tuple([z.number(), z.number()]));
const storedBuckets = z.array(
  z.object({
    bucket: z.string(),
    samples: z.number(),
    curve: points,
    toolsMean: z.number(),
    since: z.string().nullable(),
    // The previous release stored only the curve and `isOff`: its buckets apply as priors until the next round.
    state: z.enum(['calibrated', 'prior', 'off']).default('prior'),
    reason: z
      .enum(['target_met', 'too_few_samples', 'recall_fell', 'target_missed'])
      .default('too_few_samples'),
    k: z.number().nullable().default(null),
    kWithoutRecovery: z.number().nullable().default(null),
    recoveryRate: recoveryRate.default(priorRecoveryRate),
    losses: points.default([]),
  }),
);

/** A stored calibration. */
export interface StoredCalibration extends Calibration {
  readonly version: number;
  readonly madeAt: Date;
}

export interface CalibrateContext {
  readonly database: TelemetryDatabase;
  /** Returns what the account wants of its policy. Throws `not_found` for a deleted account. */
  readonly readGoals: (accountId: string) => Promise<PolicyGoals>;
  readonly announce: (policy: RoutingPolicy) => void;
  readonly now?: () => number;
}

/**
 * Computes an account's next policy from its conversations. If it differs from the current policy, it is stored
 * and announced to the routers.
 */
export async function calibrateAccount(context: CalibrateContext, accountId: string): Promise<void> {
  const { database, now = Date.now } = context;
  const goals = await context.readGoals(accountId);
  const previous = await readCalibration(database, accountId, null);
  const measured = await readMeasurements(database, accountId, now());
  if (previous === null && measured.samples.length === 0) return;
  const next = calibrate(measured, previous, goals);
  if (!isNews(previous, next)) return;
  const madeAt = new Date(now());
  const version = (previous?.version ?? 0) + 1;
  if (!(await write(database, accountId, version, madeAt, next))) return;
  context.announce(renderPolicy(accountId, version, madeAt, next));
}

/** Reads an account's newest calibration, or a specific version. Null if it does not exist. */
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
  return { ...row, recoveryRate: rate, buckets: storedBuckets.parse(row.buckets) };
}

/** A tool counts once per conversation, with the K that it needed when it was first called. */
const samplesSql = `
  , shadow AS (
    SELECT coalesce(session_key, session_id, id::text) AS session, created_at, bucket, tools_in, needs
    FROM own WHERE needs IS NOT NULL AND bucket IS NOT NULL
  ), called AS (
    SELECT DISTINCT ON (session, need ->> 0) session, (need ->> 1)::int AS k, need ->> 2 = '0' AS is_missed
    FROM shadow CROSS JOIN LATERAL jsonb_array_elements(needs -> 'tools') AS need
    ORDER BY session, need ->> 0, created_at
  ), needed AS (
    SELECT session, (array_agg(k ORDER BY k DESC))[1:${needsMax}] AS ks,
      (count(*) FILTER (WHERE is_missed))::int AS missed
    FROM called GROUP BY session
  )
  SELECT min(created_at) AS at, (array_agg(bucket ORDER BY created_at))[1] AS bucket,
    coalesce(max(ks), '{}') AS needed_ks, coalesce(max(missed), 0)::int AS missed,
    bool_or((needs -> 'armed')::boolean) AS is_armed, max(tools_in)::int AS tools,
    coalesce(max((needs -> 'share')::float8), 1) AS share
  FROM shadow LEFT JOIN needed USING (session)
  GROUP BY session ORDER BY min(created_at) DESC LIMIT $4::int`;

interface SampleRow {
  readonly at: Date;
  readonly bucket: string;
  readonly needed_ks: readonly number[];
  readonly missed: number;
  readonly is_armed: boolean;
  readonly tools: number;
  readonly share: number;
}

/**
 * Counts a recovered tool only if the model then called it. Conversations under a key's K override are left
 * out: they are never drawn for shadow.
 */
const prunedSql = `
  , pruned AS (
    SELECT coalesce(session_key, session_id, id::text) AS session, created_at, bucket, called_tools,
      recovered_tools
    FROM own
    WHERE recovery IS NOT NULL AND k IS NOT NULL AND bucket IS NOT NULL
      AND k_reason NOT IN ('shadow', 'override')
    ORDER BY created_at DESC LIMIT ${prunedRequestsMax}
  ), conversations AS (
    SELECT session, (array_agg(bucket ORDER BY created_at))[1] AS bucket FROM pruned GROUP BY session
  ), recovered AS (
    SELECT session, count(DISTINCT tool) AS tools
    FROM pruned CROSS JOIN LATERAL unnest(recovered_tools) AS tool
    WHERE EXISTS (
      SELECT FROM pruned AS other WHERE other.session = pruned.session AND tool = ANY (other.called_tools)
    )
    GROUP BY session
  )
  SELECT bucket, count(*)::int AS conversations, coalesce(sum(tools), 0)::int AS recovered,
    coalesce(sum(tools * tools), 0)::int AS squares, (SELECT min(created_at) FROM pruned) AS since
  FROM conversations LEFT JOIN recovered USING (session) GROUP BY bucket`;

async function readMeasurements(
  database: TelemetryDatabase,
  accountId: string,
  nowMs: number,
): Promise<Measurements> {
  const span = {
    accountId,
    from: new Date(nowMs - days * dayMs).toISOString(),
    to: new Date(nowMs + dayMs).toISOString(),
  };
  const [rows, pruned] = await Promise.all([
    queryAccountLog<SampleRow>(database, span, samplesSql, samplesMax),
    queryAccountLog<Omit<PrunedCount, 'since'> & { readonly since: Date }>(database, span, prunedSql),
  ]);
  const samples = rows.map(({ at, bucket, needed_ks, missed, is_armed, tools, share }): ShadowSample => ({
    at: at.toISOString(),
    bucket,
    neededKs: needed_ks,
    missed,
    isArmed: is_armed,
    share,
    tools,
  }));
  return { samples, pruned: pruned.map((each) => ({ ...each, since: each.since.toISOString() })) };
}

/** Returns false if another worker has already stored this version, or if the account was deleted. */
async function write(
  database: TelemetryDatabase,
  accountId: string,
  version: number,
  madeAt: Date,
  { recallTarget, recoveryRate: rate, buckets }: Calibration,
): Promise<boolean> {
  const { routingPolicy, forgottenAccount } = database.forAccount(accountId);
  const json = { recoveryRate: { ...rate }, buckets: structuredClone(buckets) as object };
  const data = { version, madeAt, recallTarget, ...json };
  const { count } = await routingPolicy.createMany({ data: [{ accountId, ...data }], skipDuplicates: true });
  // The check must follow the write: a deletion that starts later finds the row.
  const isForgotten = (await forgottenAccount.count()) > 0;
  // Conversations stay pinned to older policy versions, but no conversation lasts a month.
  const oldest = new Date(madeAt.getTime() - days * dayMs);
  await routingPolicy.deleteMany({
    where: isForgotten ? {} : { version: { lt: version }, madeAt: { lt: oldest } },
  });
  return count > 0 && !isForgotten;
}
