import { priorRecoveryRate, type BoundedRecall, type RecoveryRate } from '@gateway/contracts';
import { boundRecallAbove, boundRecallBelow, type ShadowSample } from './measure-bucket.ts';
import type { Setup } from './setup-change.ts';

/** A conversation served with pruned tools that the model could recover. */
export interface PrunedConversation {
  /** Time of the conversation's first request, as RFC 3339. */
  readonly at: string;
  readonly bucket: string;
  /** Number of ranked tools that were forwarded in the first request of the conversation. */
  readonly k: number;
  /** Number of tools that the model recovered and called. */
  readonly recovered: number;
  readonly setup: Setup;
}

/** Number of pruned conversations and of their recovered tools, for one bucket. */
export interface PrunedCount {
  readonly bucket: string;
  readonly conversations: number;
  /**
   * Number of tools that the model recovered and called in the pruned conversations. A tool counts once per
   * conversation. The field `squares` is the sum of the squared numbers of recovered tools.
   */
  readonly recovered: number;
  readonly squares: number;
  /**
   * Time of the account's first counted conversation, as RFC 3339. Shadow conversations before this time
   * are not counted.
   */
  readonly since: string;
}

/** Minimum number of tools missed in shadow conversations for the measured recovery rate to replace the prior. */
const missedMin = 20;
/**
 * The 95% quantile of the normal distribution. Each bound that uses this quantile holds in 95 out of 100
 * cases.
 */
const quantile = 1.645;

type ShadowCount = Pick<ShadowSample, 'at' | 'missed' | 'isArmed' | 'share'>;

/**
 * Measures the recovery rate ρ. In pruned conversations, the rate is the number of recovered tools divided
 * by the number of missed tools. The number of missed tools is estimated from shadow conversations. A shadow
 * conversation that was selected with probability p represents (1 − p) / p pruned conversations from the
 * same time and under the same policy. The method is the Horvitz–Thompson estimator ("A Generalization of
 * Sampling Without Replacement From a Finite Universe", 1952). The bounds of ρ come from the delta method
 * for the logarithm of a ratio. The variances are summed over conversations, because the tool calls of a
 * conversation are not independent. Plans use the lower bound of ρ if the measurement contradicts the prior.
 */
export function measureRecoveryRate(
  pruned: readonly PrunedCount[],
  shadow: readonly ShadowCount[],
): RecoveryRate {
  const since = pruned[0]?.since;
  const reachable = shadow.filter(({ isArmed, at }) => isArmed && since !== undefined && at >= since);
  const counts = {
    prunedConversations: sumOf(pruned, 'conversations'),
    recoveredTools: sumOf(pruned, 'recovered'),
    shadowConversations: reachable.length,
    missedTools: reachable.reduce((sum, { missed }) => sum + missed, 0),
  };
  const missed = weigh(reachable);
  if (missed.sum === 0 || counts.prunedConversations === 0) return { ...priorRecoveryRate, ...counts };
  const recovered = { sum: counts.recoveredTools, squares: sumOf(pruned, 'squares') };
  const measured = boundRatio(recovered, missed);
  return counts.missedTools < missedMin || isConsistentWithPrior(measured)
    ? { ...priorRecoveryRate, ...counts, measured }
    : { used: measured.low, source: 'measured', measured, ...counts };
}

/** Counts the recoveries in pruned conversations by bucket. */
export function countPruned(conversations: readonly PrunedConversation[]): PrunedCount[] {
  const since = conversations.reduce<string | null>(
    (first, { at }) => (first === null || at < first ? at : first),
    null,
  );
  const counts = new Map<string, { conversations: number; recovered: number; squares: number }>();
  for (const { bucket, recovered } of conversations) {
    const count = counts.get(bucket) ?? { conversations: 0, recovered: 0, squares: 0 };
    count.conversations += 1;
    count.recovered += recovered;
    count.squares += recovered ** 2;
    counts.set(bucket, count);
  }
  return [...counts].map(([bucket, count]) => ({ bucket, ...count, since: since ?? '' }));
}

function sumOf(counts: readonly PrunedCount[], field: 'conversations' | 'recovered' | 'squares'): number {
  return counts.reduce((sum, each) => sum + each[field], 0);
}

/** A sum over conversations, with the sum of squares from which the variance is estimated. */
interface Total {
  readonly sum: number;
  readonly squares: number;
}

/** The estimated number of missed tools in pruned conversations, based on shadow conversations. */
function weigh(shadow: readonly ShadowCount[]): Total {
  let [sum, squares] = [0, 0];
  for (const { missed, share } of shadow) {
    const weighed = (missed * (1 - share)) / share;
    sum += weighed;
    squares += weighed ** 2;
  }
  return { sum, squares };
}

/** Half an event is added to the number of recovered tools, so that a zero count also has a variance. */
function boundRatio(recovered: Total, missed: Total): BoundedRecall {
  const events = recovered.sum + 0.5;
  const variance = (recovered.squares + 0.5) / events ** 2 + missed.squares / missed.sum ** 2;
  const ratio = events / missed.sum;
  const spread = Math.exp(quantile * Math.sqrt(variance));
  return { value: Math.min(1, ratio), low: Math.min(1, ratio / spread), high: Math.min(1, ratio * spread) };
}

/**
 * Whether the prior recovery rate lies between the bounds of the measured rate. A prior between the bounds
 * does not contradict the measurement. A lower bound below the prior can simply mean that there are few
 * measurements. Using the lower bound would raise K (the number of ranked tools). With a larger K, fewer
 * tools are missed, so even fewer recoveries could be measured.
 */
function isConsistentWithPrior({ low, high }: { readonly low: number; readonly high: number }): boolean {
  return low <= priorRecoveryRate.used && priorRecoveryRate.used <= high;
}

/**
 * The expected loss if a conversation needs `misses` pruned tools. The loss is one minus the probability that
 * the model recovers all of these tools.
 */
export function lossOf(misses: number, recoveryRate: number): number {
  return misses === 0 ? 0 : 1 - recoveryRate ** misses;
}

/**
 * Computes bounds for effective recall, from the sum of the losses of `samples` conversations. The variance of
 * losses between 0 and 1 is at most that of a binary event with the same mean. The binomial bound for the sum of
 * the losses is therefore conservative. `npm run eval:served` measures the error of the bounds of effective recall.
 */
export function boundEffective(samples: number, losses: number): BoundedRecall {
  return {
    value: samples === 0 ? 0 : 1 - losses / samples,
    low: boundRecallBelow(samples, losses),
    high: boundRecallAbove(samples, losses),
  };
}
