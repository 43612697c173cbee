import { randomFrom } from '@gateway/testing';

/** A prompt with its complexity score, and the quality of both models' responses to the prompt. */
export interface Scored {
  readonly score: number;
  readonly capable: number;
  readonly cheap: number;
}

export interface RoutingFigures {
  /**
   * The mean share of the quality gap that is recovered, over all shares of calls to the capable model.
   * Random routing scores 0.5. The value is null if both models have the same quality.
   */
  readonly apgr: number | null;
  /** The smallest shares of capable-model calls that recover half (50) and four fifths (80) of the quality gap. */
  readonly callsFor50: number | null;
  readonly callsFor80: number | null;
}

/**
 * For each share, sends that share of the highest-scored prompts to the capable model. The recovered share of
 * the quality gap is (quality − cheap) / (capable − cheap). Among prompts with the same score, each counts with
 * their mean quality, so their order does not matter.
 */
export function measureRouting(prompts: readonly Scored[]): RoutingFigures {
  const gains = gainsInOrder(prompts);
  const gap = gains.reduce((sum, gain) => sum + gain, 0);
  if (gap <= 0) return { apgr: null, callsFor50: null, callsFor80: null };
  let [recovered, area] = [0, 0];
  const callsFor: [number | null, number | null] = [null, null];
  gains.forEach((gain, at) => {
    const before = recovered;
    recovered += gain / gap;
    area += (before + recovered) / 2 / gains.length;
    if (callsFor[0] === null && recovered >= 0.5) callsFor[0] = (at + 1) / gains.length;
    if (callsFor[1] === null && recovered >= 0.8) callsFor[1] = (at + 1) / gains.length;
  });
  return { apgr: area, callsFor50: callsFor[0], callsFor80: callsFor[1] };
}

function gainsInOrder(prompts: readonly Scored[]): Float64Array {
  const order = prompts.toSorted((one, other) => other.score - one.score);
  const gains = Float64Array.from(order, ({ capable, cheap }) => capable - cheap);
  for (let from = 0; from < order.length;) {
    let to = from;
    let sum = 0;
    for (; to < order.length && order[to]?.score === order[from]?.score; to += 1) sum += gains[to] ?? 0;
    gains.fill(sum / (to - from), from, to);
    from = to;
  }
  return gains;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Returns a 95% percentile bootstrap interval over prompts. The same prompts always give the same interval. */
export function bootstrapApgr(prompts: readonly Scored[], samples: number): Interval | null {
  const draw = randomFrom(prompts.length);
  const found: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const drawn = prompts.map(() => prompts[Math.floor(draw() * prompts.length)] as Scored);
    const { apgr } = measureRouting(drawn);
    if (apgr !== null) found.push(apgr);
  }
  if (found.length < samples / 2) return null;
  found.sort((one, other) => one - other);
  const at = (share: number): number => found[Math.round(share * (found.length - 1))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}
