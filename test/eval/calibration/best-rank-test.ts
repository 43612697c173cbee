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
 * How likely the best of all tests notices within `samples` sessions, at `level`, that ranks were stretched until misses went
 * from `before` to `after`, if it sees every rank and knows beforehand how the ranks of this account fall off, and that those
 * of a session share its difficulty: the likelihood ratio (Neyman and Pearson), where depths fall off exponentially. Whoever
 * has a reference of some sessions instead, or another fall-off to reckon with, notices no more.
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
  // How likely a ratio is without the fall follows from how likely it is with it: by the ratio itself.
  let wrong = 0;
  const passed = ratios.findIndex((ratio) => (wrong += Math.exp(-ratio) / runs) > level);
  return passed < 0 ? 1 : passed / runs;
}

/** Of a session after the fall: the logarithm of how much likelier it is than before. */
function drawRatio(stretch: number, random: () => number): number {
  const difficulty = difficulties.min + (difficulties.max - difficulties.min) * random();
  const calls = 1 + Math.floor(random() * callsMax);
  let depth = 0;
  for (let call = 0; call < calls; call += 1) depth -= Math.log(1 - random()) * difficulty * stretch;
  return logLikelihood(depth / stretch, calls) - calls * Math.log(stretch) - logLikelihood(depth, calls);
}

/** Of calls that are so deep together, whatever the difficulty. */
function logLikelihood(depth: number, calls: number): number {
  return Math.log(mean(difficultySteps.map((each) => each ** -calls * Math.exp(-depth / each))));
}

/** The depth that the deepest call of this share of sessions does not exceed. */
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
