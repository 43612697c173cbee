import { calibrate, type Measurements } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import { boundRecallBelow } from '../../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import { chanceUpTo, keptKnowingShape } from './best-test.ts';
import { chooseOracleK, renderSample, seedRandom, simulateAccount } from './simulated-account.ts';

/**
 * The numbers of conversations that each bound needs with zero misses and with one miss, and larger numbers.
 */
const cases = [
  { target: 0.9, counts: [29, 46, 100, 200, 300, 1000] },
  { target: 0.95, counts: [59, 93, 200, 300, 500, 1000] },
  { target: 0.99, counts: [299, 473, 1000] },
] as const;

export interface PromiseFigures {
  readonly target: number;
  readonly samples: number;
  /** The number of drawn conversations that may need a tool beyond K. */
  readonly misses: number;
  /** The share of calibrations with a true recall at the chosen K that meets the target. */
  readonly met: number;
  /** The standard error of that share. */
  readonly standardError: number;
  readonly kept: number;
  /**
   * The tools forwarded by a bound that knows the distribution, relative to the oracle. No real bound knows
   * it.
   */
  readonly keptKnowingShape: number;
  readonly recall: number;
  /**
   * How often the next smaller K would still meet the target, if ranks are spread so evenly that there are no
   * ties.
   */
  readonly metByNext: number;
  /**
   * Calibrations with one conversation too few that fall back to priors, as "count/total". All of them must
   * do so.
   */
  readonly below: string;
}

/** @param draws calibrations per account, each from different conversations. */
export function measurePromises(accounts: number, draws: number, seed: number): PromiseFigures[] {
  return cases.flatMap(({ target, counts }, row) =>
    counts.map((samples, column) =>
      measureOne({ accounts, draws }, seed + row * 1000 + column, target, samples),
    ),
  );
}

function measureOne(
  { accounts, draws }: { readonly accounts: number; readonly draws: number },
  seed: number,
  target: number,
  samples: number,
): PromiseFigures {
  const random = seedRandom(seed);
  const fewest = Math.ceil(Math.log(0.05) / Math.log(target));
  const sums = { met: 0, keptK: 0, oracleK: 0, recall: 0, onPriors: 0 };
  for (let at = 0; at < accounts; at += 1) {
    const account = simulateAccount(random);
    const oracleK = chooseOracleK(account, target);
    for (let round = 0; round < draws; round += 1) {
      const drawn = Array.from({ length: samples }, (_, place) =>
        renderSample(account.draw(random), account.tools, place),
      );
      const k = chooseFrom(drawn, target);
      if (k === undefined) throw new Error(`${samples} sessions do not suffice for ${target}`);
      const recall = account.recallAt[k] ?? 1;
      sums.met += Number(recall >= target);
      sums.recall += recall;
      sums.keptK += k / account.tools;
      sums.oracleK += oracleK / account.tools;
      sums.onPriors += Number(chooseFrom(drawn.slice(0, fewest - 1), target) === undefined);
    }
  }
  const of = accounts * draws;
  const met = sums.met / of;
  const misses = countMisses(samples, target);
  return {
    ...{ target, samples, misses },
    met,
    standardError: Math.sqrt((met * (1 - met)) / of),
    kept: sums.keptK / sums.oracleK,
    keptKnowingShape: keptKnowingShape(samples),
    recall: sums.recall / of,
    metByNext: 1 - chanceUpTo(misses + 1, samples, 1 - target),
    below: `${sums.onPriors}/${of}`,
  };
}

/** The largest number of misses that the bound tolerates. */
function countMisses(samples: number, target: number): number {
  let misses = 0;
  while (boundRecallBelow(samples, misses + 1) >= target) misses += 1;
  return misses;
}

/** Without recovery, so that forwarded recall must meet the target. */
function chooseFrom(samples: Measurements['samples'], target: number): number | undefined {
  const goals = { recallTarget: target, hasRecovery: false };
  return calibrate({ samples, pruned: [] }, null, goals).buckets[0]?.k ?? undefined;
}
