// Evaluates calibration on simulated accounts with a known true recall. Measures whether K keeps the
// promised recall, how much it forwards compared with an oracle, and how soon a drop in recall is detected. The last
// line is JSON.
//   npm run eval:calibration -- [--accounts 1000] [--draws 5] [--seed 1] [--part promises|falls]
import { parseArgs } from 'node:util';
import { measureFalls } from './calibration/falls.ts';
import { measurePromises } from './calibration/promises.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    /** Calibrations per account, each from different conversations. */
    draws: { type: 'string', default: '5' },
    part: { type: 'string', default: 'all' },
    seed: { type: 'string', default: '1' },
  },
});
const [accounts, draws, seed] = [Number(values.accounts), Number(values.draws), Number(values.seed)];
if (!(accounts >= 1) || !(draws >= 1) || !Number.isInteger(seed))
  throw new Error('--accounts, --draws and --seed must be whole numbers');

const isIn = (part: string): boolean => values.part === 'all' || values.part === part;
const promises = isIn('promises') ? measurePromises(accounts, draws, seed) : [];
console.log(
  `${accounts} simulated accounts, calibrated ${draws} times each. "Kept" is beside an oracle's, by the sum over accounts.`,
);
console.log('What the next smaller K would keep its promise in says whether any rule could keep less.');
console.table(
  promises.map(
    ({ target, misses, samples, met, standardError, kept, keptKnowingShape, recall, metByNext, below }) => ({
      target,
      sessions: samples,
      'misses borne': misses,
      'recall met in %': `${round(100 * met)} ± ${round(100 * standardError)}`,
      'by the next K, %': round(100 * metByNext),
      'kept / oracle': round(kept),
      'knowing the shape': round(keptKnowingShape),
      'mean recall %': round(100 * recall),
      'priors with one session fewer': below,
    }),
  ),
);
const falls = isIn('falls') ? measureFalls(accounts, seed) : [];
console.log('Recall falls by ten points after the policy was made; and, beside it, does not.');
console.log(
  'Best: what no test can surpass within 60, at 1% false alarms in 1000. By misses, of misses alone; by ranks, of',
);
console.log('all ranks where they are stretched, though it knew beforehand how they fell off.');
console.table(
  falls.map((each) => ({
    target: each.target,
    'reference sessions': each.reference,
    'ranks stretched: median, p90': `${each.stretched.p50}, ${each.stretched.p90}`,
    'within 60, %': round(100 * each.stretched.within60),
    'tools astray: median, p90': `${each.strayed.p50}, ${each.strayed.p90}`,
    'astray within 60, %': round(100 * each.strayed.within60),
    'best by misses, %': round(100 * each.bestByMisses),
    'best by ranks, %': round(100 * each.bestByRanks),
    'false alarms in 1000, %': round(100 * each.falseIn1000),
  })),
);
console.log(JSON.stringify({ accounts, draws, seed, promises, falls }));

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
