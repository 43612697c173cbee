import type { paths } from '../../api/generated/openapi.ts';
import { describeBucket } from '../../lib/explain-plan.ts';
import { formatNumberOf, formatShare } from '../../lib/format.ts';

type Answer<Path extends '/v1/account/routing/calibration' | '/v1/account/routing/preferences'> =
  paths[Path]['get']['responses'][200]['content']['application/json'];
/** A bucket of the calibration as the API returns it. */
type CalibrationBucket = Answer<'/v1/account/routing/calibration'>['buckets'][number];
type RoutingPreferences = Answer<'/v1/account/routing/preferences'>;

/** The state of a bucket in one sentence: whether tools are pruned, how many, and whether the target is met. */
export function describeVerdict(bucket: CalibrationBucket, recallTarget: number): string {
  const { basis, effective_recall: recall, kept_share, samples } = bucket;
  const target = formatShare(recallTarget, 2);
  if (basis === 'off')
    return `Pruning is off, because the measured recall does not meet the target of ${target}.`;
  const sent = kept_share === null ? '' : `, ${formatShare(kept_share)} of the tools are sent`;
  if (basis === 'prior')
    return `Pruning is on with the shipped default${sent}, and ${formatNumberOf(samples, 'conversation')} are too few to check the target of ${target}.`;
  if (recall === null) return `Pruning is on${sent}, and the recall is not known.`;
  const met = recall.low >= recallTarget ? 'meets' : 'may miss';
  return `Pruning is on${sent}, and the effective recall of ${formatShare(recall.value)} ${met} the target of ${target}.`;
}

/** The routing policy's decision for a bucket and the reason, exactly as the router applies it. */
export function describeDecision(bucket: CalibrationBucket): string {
  return `${describeState(bucket)}${describeRetest(bucket)}`;
}

/**
 * Which ranking decides K, K with and without learning, and since when learning is measured. Null if nothing was
 * measured with learning.
 */
export function describeLearning(bucket: CalibrationBucket): string | null {
  const { learning, k, bucket: name } = bucket;
  if (learning === null) return null;
  const decider = learning.used
    ? 'The learned ranking decides K for new conversations, because its K is smaller.'
    : `The ranking without learning decides K for new conversations, because ${whyUnused(bucket, learning)}.`;
  const both = `K is ${learning.k ?? 'not known yet'} with learning and ${k ?? 'not known yet'} without.`;
  const source = learning.decided_by ?? name;
  const from = source === name ? '' : ` (measurements of ${describeBucket(source)})`;
  const measured = `${formatNumberOf(learning.samples, 'conversation')} measured with learning since ${learning.since.slice(0, 10)}${from}.`;
  return `${decider} ${both} ${measured}`;
}

/** The reason for which the routing policy does not use a bucket's learned ranking, in the order of the worker's checks. */
function whyUnused(
  { basis, k }: CalibrationBucket,
  learning: NonNullable<CalibrationBucket['learning']>,
): string {
  if (basis === 'off') return 'pruning is off';
  if (learning.k === null) return 'the measurements with learning do not support a K yet';
  if (k !== null && learning.k >= k) return 'K with learning is not smaller';
  return 'too few conversations of this bucket were measured with learning';
}

function describeRetest({ retest }: CalibrationBucket): string {
  if (retest === null) return '';
  const why =
    retest.reason === 'recoveries_rose'
      ? 'models recover pruned tools more often than before'
      : 'the tool list, the model or the ranker changed';
  return ` Recall is being tested again with more shadow conversations, because ${why}.`;
}

function describeState(bucket: CalibrationBucket): string {
  const { basis, reason, samples, samples_needed, bucket: name, decided_by } = bucket;
  const seen = `${formatNumberOf(samples, 'shadow conversation')} measured.`;
  const from = decided_by === name ? '' : ` Decided by the measurements of ${describeBucket(decided_by)}.`;
  const more = formatNumberOf(samples_needed, 'more conversation');
  switch (basis) {
    case 'calibrated':
      return `${seen} Pruning is on. ${describeMeasuredK(bucket)}${describeRecall(bucket)}${from}`;
    case 'prior':
      return `${seen} Pruning is on. The shipped defaults (priors) choose the number of tools until there are at least ${more}. They do not promise the target.${from}`;
    case 'off': {
      const why = reason === 'recall_fell' ? 'recall fell' : 'recall was below the target';
      return `${seen} Pruning is off, because ${why}. All tools are sent until at least ${more} show a number that meets it.${from}`;
    }
  }
}

/** Labels for the state of a bucket, shown in a table cell. */
export const stateNames = { calibrated: 'on, measured', prior: 'on, default', off: 'off' } as const;

/**
 * Renders K (the number of ranked tools) for the page. If a rule overrides K, the name of the rule is shown.
 */
export function renderK({ basis, k }: Pick<CalibrationBucket, 'basis' | 'k'>): string {
  if (basis === 'off') return 'all';
  return k === null ? 'default' : String(k);
}

/** The ranking that decides K for new conversations, shown in a table cell. */
export function renderDecider({ basis, learning }: Pick<CalibrationBucket, 'basis' | 'learning'>): string {
  if (basis === 'off') return 'nothing (pruning is off)';
  return learning?.used === true ? 'learned ranking' : 'ranking without learning';
}

/** The K (number of ranked tools) for requests in which the model cannot recover pruned tools. */
export function renderPlainK(bucket: Pick<CalibrationBucket, 'basis' | 'k_without_recovery'>): string {
  if (bucket.basis !== 'calibrated') return renderK({ basis: bucket.basis, k: null });
  return bucket.k_without_recovery === null ? 'all' : String(bucket.k_without_recovery);
}

/** Formats a recall with its bounds, for example `91.4% (88.0% to 94.2%)`. */
export function renderRecall(recall: CalibrationBucket['effective_recall']): string {
  if (recall === null) return 'unknown';
  return `${formatShare(recall.value)} (${formatShare(recall.low)} to ${formatShare(recall.high)})`;
}

function describeMeasuredK(bucket: CalibrationBucket): string {
  const plain = bucket.k_without_recovery;
  const without =
    plain === bucket.k ? '' : ` Without recovery: ${plain === null ? 'all tools' : renderPlainK(bucket)}.`;
  return `K = ${renderK(bucket)}: the smallest number of tools whose effective recall meets the target at its lower bound.${without} All tools are sent if pruning would cost more than it saves.`;
}

function describeRecall({ forwarded_recall, effective_recall, recovery_rate }: CalibrationBucket): string {
  if (forwarded_recall === null || effective_recall === null) return '';
  const rate = `${formatShare(recovery_rate.used)} (${recovery_rate.source})`;
  return ` Expected at this K: forwarded recall ${renderRecall(forwarded_recall)}, effective recall ${renderRecall(effective_recall)} with a recovery rate of ${rate}.`;
}

/**
 * Returns the reason why the routing policy is not applied, or null if the routing policy is applied. An API key with
 * its own K (number of ranked tools) never follows the policy.
 */
export function describeMode({ mode }: RoutingPreferences['pruning']): string | null {
  if (mode === 'off')
    return 'Pruning is off in Preferences: all tools are sent. The policy applies when pruning is on.';
  if (mode === 'shadow')
    return 'Pruning is set to shadow in Preferences: all tools are sent, and plans are only measured. The policy applies when pruning is on.';
  return null;
}
