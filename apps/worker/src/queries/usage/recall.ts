import { pooledBucketOf, priorRecoveryRate, type AnalyticsTotals } from '@gateway/contracts';
import { boundEffectiveAt } from '../../jobs/calibrate/bound-effective.ts';
import type { StoredCalibration } from '../../jobs/calibrate/calibrate.ts';
import { boundEffective, lossOf } from '../../jobs/calibrate/recovery-rate.ts';

/**
 * Counts the shadow conversations in `narrowed` by number of missed tools. A tool counts once per conversation.
 * As in calibration, a tool counts as missed if the plan at the tool's first call lacked the tool. Log rows
 * written by earlier releases lack the needed tools. A row without the needed tools counts as one missed tool
 * if the plan's K (number of ranked tools) was too small.
 */
export const recallSql = `
  , shadow AS (
    SELECT coalesce(session_key, session_id, id::text) AS session, created_at, bucket, needs,
      needs IS NULL AND needed_k > coalesce(k, tools_in) AS is_short
    FROM narrowed WHERE needed_k IS NOT NULL
  ), called AS (
    SELECT DISTINCT ON (session, need ->> 0) session, need ->> 2 = '0' AS is_missed
    FROM shadow CROSS JOIN LATERAL jsonb_array_elements(needs -> 'tools') AS need
    ORDER BY session, need ->> 0, created_at
  ), missed AS (
    SELECT session, count(*)::int AS tools FROM called WHERE is_missed GROUP BY session
  ), conversations AS (
    SELECT (array_agg(bucket ORDER BY created_at))[1] AS bucket,
      coalesce(max(missed.tools), bool_or(is_short)::int) AS missed,
      coalesce(bool_or((needs -> 'armed')::boolean), false) AS is_armed
    FROM shadow LEFT JOIN missed USING (session) GROUP BY session
  )
  SELECT bucket, missed, is_armed, count(*)::float8 AS conversations FROM conversations GROUP BY 1, 2, 3`;

/** The number of shadow conversations of one bucket in which the plan missed `missed` needed tools. */
export interface ShadowCount {
  readonly bucket: string | null;
  readonly missed: number;
  /** Whether the plan would have enabled recovery. */
  readonly is_armed: boolean;
  readonly conversations: number;
}

type Policy = Pick<StoredCalibration, 'recallTarget' | 'recoveryRate' | 'buckets'>;

/**
 * Forwarded and effective recall of the plans of shadow conversations, with one-sided 95% bounds. Effective
 * recall uses the recovery rate of each bucket in the account's routing policy, and the same bounds as
 * calibration.
 */
export function renderRecall(
  counts: readonly ShadowCount[],
  policy: Policy | null,
): AnalyticsTotals['recall'] {
  const sessions = counts.reduce((sum, { conversations }) => sum + conversations, 0);
  const target = policy?.recallTarget ?? null;
  if (sessions === 0) return { sessions, ...unknown, effective: unknown, target };
  const short = counts.reduce((sum, { missed, conversations }) => sum + (missed > 0 ? conversations : 0), 0);
  return {
    sessions,
    ...boundEffective(sessions, short),
    effective: boundRecovered(counts, sessions, policy),
    target,
  };
}

/** Returns the recall with bounds. Without recovery, a conversation that misses one tool counts as a full loss. */
function boundRecovered(
  counts: readonly ShadowCount[],
  samples: number,
  policy: Policy | null,
): ReturnType<typeof boundEffectiveAt> {
  let [one, more, losses] = [0, 0, 0];
  const rates = new Set<number>();
  for (const { bucket, missed, is_armed, conversations } of counts) {
    const rate = is_armed ? recoveryRateOf(bucket, policy) : 0;
    if (is_armed) rates.add(rate);
    losses += lossOf(missed, rate) * conversations;
    if (missed === 1 && is_armed) one += conversations;
    else if (missed > 0) more += conversations;
  }
  // The exact test requires a single recovery rate, so the binomial bound is used if there are several rates.
  const [rate = 0] = rates.size === 1 ? rates : [];
  return boundEffectiveAt({ samples, one, more, losses }, rate);
}

const unknown = { value: null, low: null, high: null };

function recoveryRateOf(bucket: string | null, policy: Policy | null): number {
  const names = bucket === null ? [] : [bucket, pooledBucketOf(bucket)];
  const found = names.flatMap((name) => policy?.buckets.find((each) => each.bucket === name) ?? [])[0];
  return (found ?? policy)?.recoveryRate.used ?? priorRecoveryRate.used;
}
