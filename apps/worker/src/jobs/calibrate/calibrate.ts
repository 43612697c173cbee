import type { RoutingPolicy } from '@gateway/contracts';
import { z } from 'zod';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { calibrate, isNews, renderPolicy, type Calibration } from './make-policy.ts';
import type { ShadowSample } from './measure-bucket.ts';

/** Older requests are ignored, because traffic changes. */
const days = 30;
const dayMs = 86_400_000;
const samplesMax = 20_000;
/** Maximum number of requests read per conversation. Later requests resemble the earlier ones. */
const requestsMax = 32;

const storedBuckets = z.array(
  z.object({
    bucket: z.string(),
    samples: z.number(),
    isOff: z.boolean(),
    curve: z.array(z.tuple([z.number(), z.number()])),
    toolsMean: z.number(),
    since: z.string().nullable(),
  }),
);

/** A stored calibration. */
export interface StoredCalibration extends Calibration {
  readonly version: number;
  readonly madeAt: Date;
}

export interface CalibrateContext {
  readonly database: TelemetryDatabase;
  /** Returns the account's recall target, from 0 to 1. Throws `not_found` for a deleted account. */
  readonly readRecallTarget: (accountId: string) => Promise<number>;
  readonly announce: (policy: RoutingPolicy) => void;
  readonly now?: () => number;
}

/**
 * Computes an account's next policy from its shadow conversations. If it differs from the current policy, it
 * is stored and announced to the routers.
 */
export async function calibrateAccount(context: CalibrateContext, accountId: string): Promise<void> {
  const { database, now = Date.now } = context;
  const recallTarget = await context.readRecallTarget(accountId);
  const previous = await readCalibration(database, accountId, null);
  const samples = await readSamples(database, accountId, now());
  const next = calibrate(samples, previous, recallTarget);
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
  return row && { ...row, buckets: storedBuckets.parse(row.buckets) };
}

const samplesSql = `
  , shadow AS (
    SELECT coalesce(session_key, session_id, id::text) AS session, created_at, bucket, needed_k, tools_in,
      needed_k > coalesce(k, tools_in) AS is_missed
    FROM own WHERE needed_k IS NOT NULL AND bucket IS NOT NULL
  )
  SELECT min(created_at) AS at, (array_agg(bucket ORDER BY created_at))[1] AS bucket,
    max(needed_k)::int AS needed_k, (array_agg(needed_k ORDER BY created_at))[1:${requestsMax}] AS needed_ks,
    bool_or(is_missed) AS is_missed, max(tools_in)::int AS tools
  FROM shadow GROUP BY session ORDER BY min(created_at) DESC LIMIT $4::int`;

interface SampleRow {
  readonly at: Date;
  readonly bucket: string;
  readonly needed_k: number;
  readonly needed_ks: readonly number[];
  readonly is_missed: boolean;
  readonly tools: number;
}

async function readSamples(
  database: TelemetryDatabase,
  accountId: string,
  nowMs: number,
): Promise<ShadowSample[]> {
  const span = {
    accountId,
    from: new Date(nowMs - days * dayMs).toISOString(),
    to: new Date(nowMs + dayMs).toISOString(),
  };
  const rows = await queryAccountLog<SampleRow>(database, span, samplesSql, samplesMax);
  return rows.map(({ at, bucket, needed_k, needed_ks, is_missed, tools }) => ({
    at: at.toISOString(),
    bucket,
    neededK: needed_k,
    neededKs: needed_ks,
    isMissed: is_missed,
    tools,
  }));
}

/** Returns false if another worker has already stored this version, or if the account was deleted. */
async function write(
  database: TelemetryDatabase,
  accountId: string,
  version: number,
  madeAt: Date,
  { recallTarget, buckets }: Calibration,
): Promise<boolean> {
  const { routingPolicy, forgottenAccount } = database.forAccount(accountId);
  const data = { version, madeAt, recallTarget, buckets: structuredClone(buckets) as object };
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
