import { priorRecoveryRate, type RecoveryRate } from '@gateway/contracts';
import { boundRecallAbove, boundRecallBelow, type ShadowSample } from './measure-bucket.ts';

/** How many tools were recovered and called in the pruned conversations of one bucket. */
export interface PrunedCount {
  readonly bucket: string;
  readonly conversations: number;
  /** Recovered tools over these conversations, each counted once per conversation, and the sum of their squares. */
  readonly recovered: number;
  readonly squares: number;
}

/** With fewer missed tools in shadow conversations, the prior applies. */
const missedMin = 20;
/** The 95% quantile of the normal distribution: each bound holds in 95 out of 100 cases. */
const quantile = 1.645;

/**
 * Measures the recovery rate ρ: recovered tools per pruned conversation, divided by missed tools per shadow
 * conversation. Shadow conversations are drawn at random, so both means are over conversations of the same
 * kind. The bounds are those of a ratio of two independent means, on the logarithm (delta method; Cochran,
 * "Sampling Techniques", 1977, chapter 6). The variances are those of counts per conversation, so calls that
 * depend on each other are accounted for. The lower bound is used for planning.
 */
export function measureRecoveryRate(
  pruned: readonly PrunedCount[],
  shadow: readonly Pick<ShadowSample, 'missed' | 'isArmed'>[],
): RecoveryRate {
  const reachable = shadow.filter(({ isArmed }) => isArmed);
  const missedTools = reachable.reduce((sum, { missed }) => sum + missed, 0);
  const missedSquares = reachable.reduce((sum, { missed }) => sum + missed ** 2, 0);
  const prunedConversations = sumOf(pruned, 'conversations');
  const recoveredTools = sumOf(pruned, 'recovered');
  const counts = {
    prunedConversations,
    recoveredTools,
    shadowConversations: reachable.length,
    missedTools,
  };
  if (missedTools === 0 || prunedConversations === 0) return { ...priorRecoveryRate, ...counts };
  const recovered = meanOf(prunedConversations, recoveredTools, sumOf(pruned, 'squares'));
  const missed = meanOf(reachable.length, missedTools, missedSquares);
  const measured = boundRatio(recovered, missed);
  return missedTools < missedMin
    ? { ...priorRecoveryRate, ...counts, measured }
    : { used: measured.low, source: 'measured', measured, ...counts };
}

function sumOf(counts: readonly PrunedCount[], field: 'conversations' | 'recovered' | 'squares'): number {
  return counts.reduce((sum, each) => sum + each[field], 0);
}

interface Mean {
  readonly mean: number;
  /** The squared standard error, as a share of the squared mean. */
  readonly relativeVariance: number;
}

/** Half an event is added, so that a count of zero has a variance too. */
function meanOf(conversations: number, events: number, squares: number): Mean {
  const mean = (events + 0.5) / conversations;
  const variance = Math.max((squares + 0.5) / conversations - mean ** 2, mean / conversations);
  return { mean, relativeVariance: variance / conversations / mean ** 2 };
}

function boundRatio(recovered: Mean, missed: Mean): { value: number; low: number; high: number } {
  const ratio = recovered.mean / missed.mean;
  const spread = Math.exp(quantile * Math.sqrt(recovered.relativeVariance + missed.relativeVariance));
  return { value: Math.min(1, ratio), low: Math.min(1, ratio / spread), high: Math.min(1, ratio * spread) };
}

/**
 * The expected loss of a conversation with `misses` pruned needs: one minus the chance that recovery returns
 * all of them.
 */
export function lossOf(misses: number, recoveryRate: number): number {
  return misses === 0 ? 0 : 1 - recoveryRate ** misses;
}

/**
 * Bounds effective recall, given the sum of the losses of `samples` conversations. A loss between 0 and 1
 * varies less than a coin with the same mean, so the binomial bound at the real-valued sum is conservative;
 * `npm run eval:served` measures it.
 */
export function boundEffective(samples: number, losses: number): { value: number; low: number; high: number } {
  return {
    value: samples === 0 ? 0 : 1 - losses / samples,
    low: boundRecallBelow(samples, losses),
    high: boundRecallAbove(samples, losses),
  };
}
