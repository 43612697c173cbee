import type { KPolicyStep, KPolicyTarget } from '../../apps/tool-router/src/plan-tools/k-policy.ts';

/** A question as the policy sees it: how its tools scored, as shares of the best score. */
export interface Sample {
  readonly dataset: string;
  readonly topScore: number;
  readonly namesTop: boolean;
  /** Of the golds; Infinity for one that is among the first `kMin`, which go out anyway. */
  readonly goldShares: readonly number[];
  /** Of all tools, best first. */
  readonly shares: Float64Array;
}

export interface FitOptions {
  readonly recallTarget: number;
  readonly kMin: number;
}

/** Bins by best score; fewer for the turns that name a tool, of which there are fewer. */
const namedBins = 5;
const unnamedBins = 8;

/** Below this share nothing worth the risk is left out. */
const shareMin = 0.02;

/** Each set weighs the same, whatever its number of samples. */
export function fitTarget(samples: readonly Sample[], { recallTarget }: FitOptions): KPolicyTarget {
  const weights = weighSets(samples);
  const fit = (part: readonly Sample[], bins: number): KPolicyStep[] =>
    fitSteps(cutBins(part, weights, bins), weights, recallTarget);
  return {
    recallTarget,
    named: fit(
      samples.filter(({ namesTop }) => namesTop),
      namedBins,
    ),
    unnamed: fit(
      samples.filter(({ namesTop }) => !namesTop),
      unnamedBins,
    ),
  };
}

/**
 * Takes in each bin the largest share of the best score that still keeps `recallTarget` of the golds, and never a
 * larger one than a bin with better scores has: being surer may only cut more.
 */
function fitSteps(
  bins: readonly (readonly Sample[])[],
  weights: ReadonlyMap<string, number>,
  recallTarget: number,
): KPolicyStep[] {
  const steps: KPolicyStep[] = [];
  let ceiling = Infinity;
  for (const bin of bins.toReversed()) {
    const share = Math.min(ceiling, fitShare(bin, weights, recallTarget));
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

/** Bins of about equal weight, by best score. */
function cutBins(samples: readonly Sample[], weights: ReadonlyMap<string, number>, bins: number): Sample[][] {
  const cut: Sample[][] = Array.from({ length: bins }, () => []);
  const weightOf = ({ dataset }: Sample): number => weights.get(dataset) ?? 0;
  const total = samples.reduce((sum, sample) => sum + weightOf(sample), 0);
  let passed = 0;
  for (const sample of samples.toSorted((one, other) => one.topScore - other.topScore)) {
    cut[Math.min(bins - 1, Math.floor((passed / total) * bins))]?.push(sample);
    passed += weightOf(sample);
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

/** What a fitted target would have done to samples, each weighing the same. */
export function applyTarget(
  samples: readonly Sample[],
  target: KPolicyTarget,
  { kMin }: FitOptions,
): PolicyOutcome {
  let recall = 0;
  let kept = 0;
  let whole = 0;
  for (const { topScore, namesTop, goldShares, shares } of samples) {
    const steps = namesTop ? target.named : target.unnamed;
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
