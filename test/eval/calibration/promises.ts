import { calibrate, chooseK } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import { chooseOracleK, renderSample, seedRandom, simulateAccount } from './simulated-account.ts';

/** Sessions that each bound takes without a miss, with one, and more of them. `misses` null: as many as the bound bears. */
const cases = [
  { target: 0.9, counts: [29, 46, 100, 300, 1000] },
  { target: 0.95, counts: [59, 93, 200, 500, 1000] },
  { target: 0.99, counts: [299, 473, 1000] },
] as const;

export interface PromiseFigures {
  readonly target: number;
  readonly samples: number;
  readonly misses: number | null;
  /** Share of accounts whose true recall is at or above the target at the K that was chosen. */
  readonly met: number;
  readonly kept: number;
  readonly recall: number;
  /** Of accounts that had too few sessions by one: all of them must keep to priors. */
  readonly below: string;
}

export function measurePromises(accounts: number, seed: number): PromiseFigures[] {
  return cases.flatMap(({ target, counts }, row) =>
    counts.map((samples, column) => measureOne(accounts, seed + row * 1000 + column, target, samples)),
  );
}

function measureOne(accounts: number, seed: number, target: number, samples: number): PromiseFigures {
  const random = seedRandom(seed);
  const fewest = Math.ceil(Math.log(0.05) / Math.log(target));
  let [met, keptK, oracleK, recall, onPriors] = [0, 0, 0, 0, 0];
  for (let at = 0; at < accounts; at += 1) {
    const account = simulateAccount(random);
    const drawn = Array.from({ length: samples }, (_, place) =>
      renderSample(account.draw(random), account.tools, place),
    );
    const k = chooseFrom(drawn, target);
    if (k === undefined) throw new Error(`${samples} sessions do not suffice for ${target}`);
    const realised = account.recallAt[k] ?? 1;
    met += Number(realised >= target);
    recall += realised;
    keptK += k / account.tools;
    oracleK += chooseOracleK(account, target) / account.tools;
    onPriors += Number(chooseFrom(drawn.slice(0, fewest - 1), target) === undefined);
  }
  const misses = samples === fewest ? 0 : null;
  return {
    ...{ target, samples, misses },
    met: met / accounts,
    kept: keptK / oracleK,
    recall: recall / accounts,
    below: `${onPriors}/${accounts}`,
  };
}

function chooseFrom(samples: Parameters<typeof calibrate>[0], target: number): number | undefined {
  const [own] = calibrate(samples, null, target).buckets;
  return own && chooseK(own, target);
}
