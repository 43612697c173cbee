import type { RecallClass, RecallCurve } from '../../apps/tool-router/src/policy/recall-prior.ts';

/** A question, with the scores that determine K. */
export interface Sample {
  readonly dataset: string;
  readonly sureness: number;
  readonly namesTop: boolean;
  /** Ranks of the needed tools, starting at 1. The rank of a tool outside the candidate pool is Infinity. */
  readonly goldRanks: readonly number[];
  readonly tools: number;
}

export interface FittedClasses {
  readonly named: RecallClass[];
  readonly unnamed: RecallClass[];
}

/** The values of K at which a recall curve is evaluated, up to the pool size. */
const kGrid = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 130, 160, 200, 260, 320, 400, 500,
];
/**
 * Numbers of confidence classes (bins) for turns that name a tool, and for turns that name none. Turns that
 * name a tool are rare, so they are divided into fewer bins.
 */
const namedBins = 3;
const unnamedBins = 6;

/** The recall targets over all classes. For each recall target, every confidence class has its own K. */
const recallGrid = [
  0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.875, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995,
];

/** Fits the confidence classes. Each tool set has the same weight, whatever its number of samples. */
export function fitClasses(samples: readonly Sample[], pool: number): FittedClasses {
  const weights = weighSets(samples);
  const fit = (part: readonly Sample[], bins: number): WeighedClass[] =>
    fitBins(cutBins(part, weights, bins), weights, pool);
  const named = fit(
    samples.filter(({ namesTop }) => namesTop),
    namedBins,
  );
  const unnamed = fit(
    samples.filter(({ namesTop }) => !namesTop),
    unnamedBins,
  );
  const allotted = allotK([...named, ...unnamed]);
  return { named: allotted.slice(0, named.length), unnamed: allotted.slice(named.length) };
}

interface WeighedClass extends Omit<RecallClass, 'kFor'> {
  readonly weight: number;
}

interface Segment {
  readonly at: number;
  readonly k: number;
  readonly gain: number;
  readonly slope: number;
}

/**
 * Returns a K for each confidence class. The chosen values of K reach a recall target over all classes with the
 * fewest tools in total. Each step raises the K that gains the most recall per additional tool. The steps
 * follow the upper hull of each class's recall curve.
 */
function allotK(classes: readonly WeighedClass[]): RecallClass[] {
  const total = classes.reduce((sum, { weight }) => sum + weight, 0);
  const segments = classes.flatMap(({ curve, weight }, at) => hullSegments(curve, at, weight / total));
  segments.sort((one, other) => other.slope - one.slope);
  const reached = classes.map(() => 1);
  const kFor: [number, number][][] = classes.map(() => []);
  let recall = 0;
  let next = 0;
  for (const { at, k, gain } of segments) {
    reached[at] = k;
    recall += gain;
    for (; next < recallGrid.length && recall >= (recallGrid[next] ?? 1); next += 1)
      kFor.forEach((each, place) => each.push([recallGrid[next] ?? 1, reached[place] ?? 1]));
  }
  return classes.map(({ surenessMin, curve }, at) => ({ surenessMin, curve, kFor: kFor[at] ?? [] }));
}

function hullSegments(curve: RecallCurve, at: number, weight: number): Segment[] {
  const hull: (readonly [number, number])[] = [[0, 0]];
  for (const point of curve) {
    while (hull.length > 1 && slopeOf(hull.at(-2), hull.at(-1)) <= slopeOf(hull.at(-1), point)) hull.pop();
    hull.push(point);
  }
  return hull.slice(1).map((point, place) => {
    const from = hull[place] ?? [0, 0];
    return { at, k: point[0], gain: (point[1] - from[1]) * weight, slope: slopeOf(from, point) };
  });
}

function slopeOf(from: readonly [number, number] = [0, 0], to: readonly [number, number] = [0, 0]): number {
  return to[0] === from[0] ? 0 : (to[1] - from[1]) / (to[0] - from[0]);
}

/**
 * Fits a recall curve for each bin. At the same K, a class with lower confidence never has a higher recall
 * than a class with higher confidence. Higher confidence can only reduce K.
 */
function fitBins(
  bins: readonly (readonly Sample[])[],
  weights: ReadonlyMap<string, number>,
  pool: number,
): WeighedClass[] {
  const classes: WeighedClass[] = [];
  let ceiling: RecallCurve | undefined;
  for (const bin of bins.toReversed()) {
    if (bin.length === 0) continue;
    const above = ceiling;
    const curve = measureCurve(bin, weights, pool).map(
      ([k, recall], at) => [k, Math.min(recall, above?.[at]?.[1] ?? 1)] as const,
    );
    ceiling = curve;
    const weight = bin.reduce((sum, { dataset }) => sum + (weights.get(dataset) ?? 0), 0);
    classes.unshift({ surenessMin: round(bin[0]?.sureness ?? 0), curve, weight });
  }
  const [first, ...rest] = classes;
  return first === undefined ? [] : [{ ...first, surenessMin: 0 }, ...rest];
}

function measureCurve(
  bin: readonly Sample[],
  weights: ReadonlyMap<string, number>,
  pool: number,
): RecallCurve {
  const total = bin.reduce((sum, { dataset }) => sum + (weights.get(dataset) ?? 0), 0);
  return kGrid
    .filter((k) => k <= pool)
    .map((k) => {
      const found = bin.reduce((sum, { dataset, goldRanks }) => {
        const share = goldRanks.filter((rank) => rank <= k).length / goldRanks.length;
        return sum + share * (weights.get(dataset) ?? 0);
      }, 0);
      return [k, round(found / total)] as const;
    });
}

function round(value: number): number {
  return Math.floor(value * 1000) / 1000;
}

/** Returns each tool set's weight, which is one divided by its number of samples. */
function weighSets(samples: readonly Sample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { dataset } of samples) counts.set(dataset, (counts.get(dataset) ?? 0) + 1);
  return new Map([...counts].map(([dataset, count]) => [dataset, 1 / count]));
}

/** Divides the samples into bins by confidence score. All bins have about the same total weight. */
function cutBins(samples: readonly Sample[], weights: ReadonlyMap<string, number>, bins: number): Sample[][] {
  const cut: Sample[][] = Array.from({ length: bins }, () => []);
  const weightOf = ({ dataset }: Sample): number => weights.get(dataset) ?? 0;
  const total = samples.reduce((sum, sample) => sum + weightOf(sample), 0);
  let passed = 0;
  for (const sample of samples.toSorted((one, other) => one.sureness - other.sureness)) {
    cut[Math.min(bins - 1, Math.floor((passed / total) * bins))]?.push(sample);
    passed += weightOf(sample);
  }
  return cut;
}

export interface PolicyOutcome {
  readonly recall: number;
  /** Mean share of the tools that are sent to the model. */
  readonly kept: number;
  /** Share of the questions for which all tools are sent to the model. */
  readonly whole: number;
}

/**
 * Computes the recall and the shares in `PolicyOutcome` for the samples. Each sample uses the K of its
 * confidence class for the recall target. All samples count equally.
 */
export function applyTarget(
  samples: readonly Sample[],
  { named, unnamed }: FittedClasses,
  { recallTarget, kMin }: { readonly recallTarget: number; readonly kMin: number },
): PolicyOutcome {
  let recall = 0;
  let kept = 0;
  let whole = 0;
  for (const { sureness, namesTop, goldRanks, tools } of samples) {
    const classes = namesTop ? named : unnamed;
    const found = classes.findLast(({ surenessMin }) => sureness >= surenessMin) ?? classes[0];
    const sure = found?.kFor.find(([reached]) => reached >= recallTarget)?.[1];
    const k = sure === undefined ? Infinity : Math.max(kMin, sure);
    if (k >= tools) whole += 1;
    recall += goldRanks.filter((rank) => rank <= k || k >= tools).length / goldRanks.length;
    kept += Math.min(k, tools) / tools;
  }
  const mean = (sum: number): number => sum / Math.max(1, samples.length);
  return { recall: mean(recall), kept: mean(kept), whole: mean(whole) };
}
