import { estimateSlope, medianOf, valuesMin } from './slope.ts';

/** The unit of a series, which determines the growth that does not count as a leak. */
export type Unit = 'MiB' | 'descriptors' | 'keys' | 'rows' | 'rows per request' | 'bytes per request';

/** One measured quantity. `samples` are in the order of their times. */
export interface Series {
  readonly name: string;
  readonly unit: Unit;
  readonly samples: readonly Sample[];
  /** Which value represents a window. Garbage makes single memory samples larger, so memory uses the lowest. */
  readonly window: 'lowest' | 'median';
}

export interface Sample {
  /** Milliseconds since the start of the load. */
  readonly atMs: number;
  readonly value: number;
}

/** The verdict on one series. All figures are in the unit of the series. */
export interface Verdict {
  readonly name: string;
  readonly unit: Unit;
  readonly median: number;
  readonly slopePerMinute: number;
  /** The bounds of the slope's 99% confidence interval. */
  readonly lowPerMinute: number;
  readonly highPerMinute: number;
  /** The growth over the measured time at the estimated slope. */
  readonly growth: number;
  /** The growth that does not count as a leak. */
  readonly allowed: number;
  readonly isPlateau: boolean;
}

/** Growth that is too small to matter, as an absolute amount and as a share of the median. */
const allowances: Readonly<Record<Unit, { readonly amount: number; readonly share: number }>> = {
  MiB: { amount: 1, share: 0.03 },
  descriptors: { amount: 2, share: 0.02 },
  keys: { amount: 5, share: 0.02 },
  rows: { amount: 5, share: 0.02 },
  'rows per request': { amount: 0.02, share: 0.05 },
  'bytes per request': { amount: 100, share: 0.1 },
};

/** Number of windows into which the measured time is divided. */
export const windowsCount = 24;
/** The share of the load's duration after which caches and pools count as full. */
export const warmUpShare = 1 / 3;

/**
 * Judges one series. The series grows if the whole confidence interval of its slope is above 0, and if the growth over
 * the measured time exceeds the allowance.
 * @param durationMs the duration of the load, including the warm-up that the verdict ignores
 */
export function judge({ name, unit, samples, window }: Series, durationMs: number): Verdict {
  const startMs = durationMs * warmUpShare;
  const windowMs = (durationMs - startMs) / windowsCount;
  const grouped = Map.groupBy(samples, ({ atMs }) => Math.floor((atMs - startMs) / windowMs));
  const values = Array.from({ length: windowsCount }, (_, at) => grouped.get(at) ?? []).flatMap((each) => {
    const inside = each.map(({ value }) => value);
    if (inside.length === 0) return [];
    return [window === 'lowest' ? Math.min(...inside) : medianOf(inside)];
  });
  if (values.length < valuesMin) throw new Error(`${name} has only ${values.length} measured windows`);
  const { perStep, low, high } = estimateSlope(values);
  const stepsPerMinute = 60_000 / windowMs;
  const median = medianOf(values);
  const growth = perStep * (values.length - 1);
  const { amount, share } = allowances[unit];
  const allowed = Math.max(amount, share * Math.abs(median));
  return {
    ...{ name, unit, median, growth, allowed },
    slopePerMinute: perStep * stepsPerMinute,
    lowPerMinute: low * stepsPerMinute,
    highPerMinute: high * stepsPerMinute,
    isPlateau: low <= 0 || growth <= allowed,
  };
}
