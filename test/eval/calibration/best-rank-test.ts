import { callsMax, difficulties } from './simulated-account.ts';

const runs = 4_000;
const steps = 57;
const depthMax = 100;
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

const difficultySteps = Array.from(
  { length: steps },
  (_, at) => difficulties.min + ((difficulties.max - difficulties.min) * at) / (steps - 1),
);
const callCounts = Array.from({ length: callsMax }, (_, at) => at + 1);

/**
 * The power of the best possible test to detect stretched ranks within `samples` conversations and at
 * `level`. The stretch raises misses from `before` to `after`. The test sees every rank. It knows the
 * distribution of the account's ranks in advance, and that ranks within a conversation share its difficulty.
 * It is the likelihood ratio test (Neyman–Pearson) for exponential depths. A test with only a reference
 * sample, or for another distribution, cannot detect more.
 */
export function powerKnowingRanks(
  samples: number,
  { before, after, level }: { readonly before: number; readonly after: number; readonly level: number },
  random: () => number,
): number {
  const stretch = depthFor(1 - before) / depthFor(1 - after);
  const ratios = Array.from({ length: runs }, () => {
    let sum = 0;
    for (let at = 0; at < samples; at += 1) sum += drawRatio(stretch, random);
    return sum;
  }).toSorted((one, other) => other - one);
  // The weight exp(−ratio) converts a draw's probability with the fall into its probability without the fall.
  let wrong = 0;
  const passed = ratios.findIndex((ratio) => (wrong += Math.exp(-ratio) / runs) > level);
  return passed < 0 ? 1 : passed / runs;
}

/** The log-likelihood ratio for one conversation after versus before the fall. */
function drawRatio(stretch: number, random: () => number): number {
  const difficulty = difficulties.min + (difficulties.max - difficulties.min) * random();
  const calls = 1 + Math.floor(random() * callsMax);
  let depth = 0;
  for (let call = 0; call < calls; call += 1) depth -= Math.log(1 - random()) * difficulty * stretch;
  return logLikelihood(depth / stretch, calls) - calls * Math.log(stretch) - logLikelihood(depth, calls);
}

/** The joint density of calls with these depths, averaged over all difficulties. */
function logLikelihood(depth: number, calls: number): number {
  return Math.log(mean(difficultySteps.map((each) => each ** -calls * Math.exp(-depth / each))));
}

/** The depth that the deepest call stays within in the given share of conversations. */
function depthFor(recall: number): number {
  let [low, high] = [0, depthMax];
  for (let round = 0; round < 50; round += 1) {
    const depth = (low + high) / 2;
    const reached = mean(
      difficultySteps.map((each) => mean(callCounts.map((calls) => (1 - Math.exp(-depth / each)) ** calls))),
    );
    if (reached < recall) low = depth;
    else high = depth;
  }
  return high;
}
