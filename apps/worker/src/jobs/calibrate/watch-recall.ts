import { MissWatch } from './recall-watch.ts';
import { RankWatch } from './rank-watch.ts';
import type { RecallWatch, WatchedSample } from './recall-watch.ts';

/** Samples before the first that is looked at. */
export const referenceMin = 59;
/** What to expect is told anew when there is more of the usual by this share. */
const growth = 0.1;

/** Places of sessions. */
export interface Fall {
  /** The first one after the fall, as far as it can be told. */
  readonly startedAt: number;
  /** The one that gave the alarm. */
  readonly noticedAt: number;
}

/**
 * Whether recall at `k` fell by ten points, over sessions from the oldest on; null while it holds. Two ways to fall are
 * watched for: all ranks get worse, which shows before they get beyond `k`; and a few needed tools rank low, which only
 * misses show.
 */
export function findFall(samples: readonly WatchedSample[], k: number): Fall | null {
  const falls = [new RankWatch(k), new MissWatch(k)].flatMap((watch) => findAlarm(samples, watch) ?? []);
  return falls.toSorted((one, other) => one.noticedAt - other.noticedAt)[0] ?? null;
}

/**
 * A CUSUM (Page, "Continuous inspection schemes", 1954). Usual is what came before the run that is looked at: a run ends
 * where what it says for a fall is no more than what it says against it.
 */
function findAlarm(samples: readonly WatchedSample[], watch: RecallWatch): Fall | null {
  for (const sample of samples.slice(0, referenceMin)) watch.addUsual(sample);
  let [likelihood, fittedTo] = [watch.fit(), referenceMin];
  let [sum, startedAt] = [0, referenceMin];
  for (const [at, sample] of samples.entries()) {
    if (at < referenceMin) continue;
    sum += likelihood.ratioOf(sample);
    // The usual mean is known from so many sessions only: the run's differs from it by the chance of both.
    const known = startedAt / (at + 1);
    if (sum * known >= likelihood.alarmAt) return { startedAt, noticedAt: at };
    if (sum > 0) continue;
    for (const each of samples.slice(startedAt, at + 1)) watch.addUsual(each);
    [sum, startedAt] = [0, at + 1];
    if (startedAt >= fittedTo * (1 + growth)) [likelihood, fittedTo] = [watch.fit(), startedAt];
  }
  return null;
}
