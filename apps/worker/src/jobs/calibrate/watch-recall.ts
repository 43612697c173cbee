import { MissWatch, type RecallWatch, type WatchedSample } from './recall-watch.ts';
import { RankWatch } from './rank-watch.ts';

/** Number of reference samples needed before detection starts. */
export const referenceMin = 59;
/** The reference is fitted again when its number of samples has grown by this share. */
const growth = 0.1;

/** Positions in the list of conversations. */
export interface Fall {
  /** The estimated position of the first conversation after the fall. */
  readonly startedAt: number;
  /** The position of the conversation that raised the alarm. */
  readonly noticedAt: number;
}

/**
 * Detects a ten-point drop in recall at `k` over conversations from oldest to newest. Null without a drop.
 * Two kinds of drop are detected. Worsening ranks are noticed before they exceed `k`. If only a few needed
 * tools rank low, the drop shows only as misses.
 */
export function findFall(samples: readonly WatchedSample[], k: number): Fall | null {
  const falls = [new RankWatch(k), new MissWatch(k)].flatMap((watch) => findAlarm(samples, watch) ?? []);
  return falls.toSorted((one, other) => one.noticedAt - other.noticedAt)[0] ?? null;
}

/**
 * A CUSUM (Page, "Continuous inspection schemes", 1954). The samples before the current run form the
 * reference. A run ends when the evidence for a drop is no larger than the evidence against it.
 */
function findAlarm(samples: readonly WatchedSample[], watch: RecallWatch): Fall | null {
  for (const sample of samples.slice(0, referenceMin)) watch.addUsual(sample);
  let [likelihood, fittedTo] = [watch.fit(), referenceMin];
  let [sum, startedAt] = [0, referenceMin];
  for (const [at, sample] of samples.entries()) {
    if (at < referenceMin) continue;
    sum += likelihood.ratioOf(sample);
    // The reference mean is estimated from a limited number of samples. The difference therefore includes the
    // sampling error of both means.
    const known = startedAt / (at + 1);
    if (sum * known >= likelihood.alarmAt) return { startedAt, noticedAt: at };
    if (sum > 0) continue;
    for (const each of samples.slice(startedAt, at + 1)) watch.addUsual(each);
    [sum, startedAt] = [0, at + 1];
    if (startedAt >= fittedTo * (1 + growth)) [likelihood, fittedTo] = [watch.fit(), startedAt];
  }
  return null;
}
