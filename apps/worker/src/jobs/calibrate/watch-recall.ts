import type { ShadowSample } from './measure-bucket.ts';

/** The fall of recall that is watched for. */
const fall = 0.1;
/** Samples before the first that is looked at. */
const referenceMin = 59;
/** The newest samples are no reference for each other: a fall must not become what is usual before it is noticed. */
const referenceLag = 120;
/**
 * From this sum of log likelihood ratios on recall has fallen. By `npm run eval:calibration`: there, how soon a fall of
 * ten points is noticed, and how often none was.
 */
const alarmAt = 9;

/** Places of sessions. */
export interface Fall {
  /** The first one after the fall, as far as it can be told. */
  readonly startedAt: number;
  /** The one that gave the alarm. */
  readonly noticedAt: number;
}

/**
 * Whether recall at `k` fell, over sessions from the oldest on; null while it holds.
 *
 * A CUSUM (Page, "Continuous inspection schemes", 1954) over where each session's needed K stands among the earlier ones.
 * The alternative raises the survival function of the needed K to a power, such that recall at `k` is ten points lower
 * (Lehmann, "The power of rank tests", 1953). So it needs no shape of the distribution, and sees ranks get worse before
 * they get beyond `k`.
 */
export function findFall(samples: readonly Pick<ShadowSample, 'neededK'>[], k: number): Fall | null {
  let sum = 0;
  let startedAt = referenceMin;
  for (let at = referenceMin; at < samples.length; at += 1) {
    const reference = Math.max(referenceMin, at - referenceLag);
    const beyondK = countBeyond(samples, reference, k + 0.5);
    const power = choosePower(survival(beyondK, reference));
    const needed = samples[at]?.neededK ?? 0;
    // Ties count by half.
    const atLeast =
      (countBeyond(samples, reference, needed - 0.5) + countBeyond(samples, reference, needed + 0.5)) / 2;
    sum += Math.log(power) + (power - 1) * Math.log(survival(atLeast, reference));
    if (sum <= 0) [sum, startedAt] = [0, at + 1];
    if (sum >= alarmAt) return { startedAt, noticedAt: at };
  }
  return null;
}

function survival(count: number, of: number): number {
  return (count + 1) / (of + 2);
}

function choosePower(missShare: number): number {
  return Math.log(Math.min(0.99, missShare + fall)) / Math.log(Math.min(0.98, missShare));
}

function countBeyond(samples: readonly Pick<ShadowSample, 'neededK'>[], end: number, bound: number): number {
  let count = 0;
  for (let at = 0; at < end; at += 1) if ((samples[at]?.neededK ?? 0) > bound) count += 1;
  return count;
}
