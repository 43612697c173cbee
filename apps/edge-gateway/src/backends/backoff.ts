import { decorrelatedJitterGenerator, ExponentialBackoff } from 'cockatiel';

/** About 0.2 s before the first try, 0.4 s before the second, and so on; jittered, so that callers that failed together do not come back together. */
const waits = new ExponentialBackoff({
  generator: decorrelatedJitterGenerator,
  initialDelay: 200,
  maxDelay: 3_000,
});

/** How long to wait before the same call is made for the `again`-th time (1 is the first repetition). */
export function chooseBackoffMs(again: number): number {
  let wait = waits.next();
  for (let step = 0; step < again; step += 1) wait = wait.next(undefined);
  return wait.duration;
}
