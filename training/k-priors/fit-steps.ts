import type { KPolicyStep } from '../../apps/tool-router/src/plan-tools/k-policy.ts';

/** A question as the policy sees it: how its tools scored, as shares of the best score. */
export interface Sample {
  readonly dataset: string;
  readonly topScore: number;
  /** Of the golds; Infinity for one that is among the first `kMin`, which go out anyway. */
  readonly goldShares: readonly number[];
  /** Of all tools, best first. */
  readonly shares: Float64Array;
}

export interface FitOptions {
  readonly recallTarget: number;
  readonly kMin: number;
  readonly bins: number;
}

/** Below this share nothing worth the risk is left out. */
const shareMin = 0.02;

/**
 * Cuts the samples into bins of equal weight by their best score (each set weighs the same), takes in each bin the
 * largest share of the best score that still keeps `recallTarget` of the golds, and never a larger one than a bin
 * with better scores has: being surer may only cut more.
 */
export function fitSteps(samples: readonly Sample[], options: FitOptions): KPolicyStep[] {
  const weights = weighSets(samples);
  const sorted = [...samples].sort((one, other) => one.topScore - other.topScore);
  const steps: KPolicyStep[] = [];
  let ceiling = Infinity;
  for (const bin of cutBins(sorted, weights, options.bins).reverse()) {
    const share = Math.min(ceiling, fitShare(bin, weights, options.recallTarget));
    if (share < shareMin) break;
    ceiling = share;
    steps.unshift([Math.ceil((bin[0]?.topScore ?? 0) * 10) / 10, Math.floor(share * 100) / 100]);
  }
  return steps.filter((step, at) => step[1] !== steps[at - 1]?.[1]);
}

/** By set: one over its number of samples. */
function weighSets(samples: readonly Sample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { dataset } of samples) counts.set(dataset, (counts.get(dataset) ?? 0) + 1);
  return new Map([...counts].map(([dataset, count]) => [dataset, 1 / count]));
}

function cutBins(sorted: readonly Sample[], weights: ReadonlyMap<string, number>, bins: number): Sample[][] {
  const cut: Sample[][] = Array.from({ length: bins }, () => []);
  let passed = 0;
  for (const sample of sorted) {
    cut[Math.min(bins - 1, Math.floor((passed / weights.size) * bins))]?.push(sample);
    passed += weights.get(sample.dataset) ?? 0;
  }
  return cut;
}

function fitShare(
  bin: readonly Sample[],
  weights: ReadonlyMap<string, number>,
  recallTarget: number,
): number {
  const golds = bin.flatMap(({ dataset, goldShares }) => {
    const weight = (weights.get(dataset) ?? 0) / goldShares.length;
    return goldShares.map((share) => ({ share, weight }));
  });
  golds.sort((one, other) => one.share - other.share);
  const lossMax = (1 - recallTarget) * golds.reduce((sum, { weight }) => sum + weight, 0);
  let lost = 0;
  for (const { share, weight } of golds) {
    lost += weight;
    if (lost > lossMax) return Math.min(1, share);
  }
  return 0;
}

export interface PolicyOutcome {
  readonly recall: number;
  /** Mean share of the tools that go out. */
  readonly kept: number;
  /** Share of the questions that go out whole. */
  readonly whole: number;
}

/** What steps would have done to samples, each weighing the same. */
export function applySteps(
  samples: readonly Sample[],
  steps: readonly KPolicyStep[],
  kMin: number,
): PolicyOutcome {
  let recall = 0;
  let kept = 0;
  let whole = 0;
  for (const { topScore, goldShares, shares } of samples) {
    const step = steps.findLast(([topScoreMin]) => topScore >= topScoreMin);
    const least = step?.[1] ?? -Infinity;
    if (step === undefined) whole += 1;
    recall += goldShares.filter((share) => share >= least).length / goldShares.length;
    const above = shares.findIndex((share) => share < least);
    kept += Math.max(kMin, above === -1 ? shares.length : above) / shares.length;
  }
  const mean = (sum: number): number => sum / Math.max(1, samples.length);
  return { recall: mean(recall), kept: mean(kept), whole: mean(whole) };
}
