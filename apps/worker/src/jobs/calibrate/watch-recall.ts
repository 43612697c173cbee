import { MissWatch, type RecallWatch, type WatchedSample } from './recall-watch.ts';
import { RankWatch } from './rank-watch.ts';

/** Samples in the reference before detection starts. */
export const referenceMin = 59;
/** The expectation is fitted again when the usual samples have grown by this share. */
const growth = 0.1;

/** Positions in the list of conversations. */
export interface Fall {
  /** The estimated first conversation after the fall. */
  readonly startedAt: number;
  /** The conversation that raised the alarm. */
  readonly noticedAt: number;
}

/**
 * Detects a drop in recall at `k` by ten points, over conversations from oldest to newest. Null without a fall. Two
 * kinds of fall are detected. Worse ranks show before they exceed `k`. A few needed tools with low ranks show only as
 * misses.
 */
export function findFall(samples: readonly WatchedSample[], k: number): Fall | null {
  const falls = [new RankWatch(k), new MissWatch(k)].flatMap((watch) => findAlarm(samples, watch) ?? []);
  return falls.toSorted((one, other) => one.noticedAt - other.noticedAt)[0] ?? null;
}

/**
 * A CUSUM (Page, "Continuous inspection schemes", 1954). The samples before the current run are usual. A run ends
 * when its evidence for a fall is no larger than its evidence against one.
 */
function findAlarm(samples: readonly WatchedSample[], watch: RecallWatch): Fall | null {
  for (const sample of samples.slice(0, referenceMin)) watch.addUsual(sample);
  let [likelihood, fittedTo] = [watch.fit(), referenceMin];
  let [sum, startedAt] = [0, referenceMin];
  for (const [at, sample] of samples.entries()) {
    if (at < referenceMin) continue;
    sum += likelihood.ratioOf(sample);
    // The usual mean is estimated from a limited number of samples, so the difference includes the sampling error of
    // both.
    const known = startedAt / (at + 1);
    if (sum * known >= likelihood.alarmAt) return { startedAt, noticedAt: at };
    if (sum > 0) continue;
    for (const each of samples.slice(startedAt, at + 1)) watch.addUsual(each);
    [sum, startedAt] = [0, at + 1];
    if (startedAt >= fittedTo * (1 + growth)) [likelihood, fittedTo] = [watch.fit(), startedAt];
  }
  return null;
}
