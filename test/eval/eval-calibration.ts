// Calibration on simulated accounts whose truth is known: does K keep the recall that it promises, what does it forward
// beside what somebody would who knew, and how soon is a fall noticed? The last line is JSON.
//   npm run eval:calibration -- [--accounts 1000] [--seed 1]
import { parseArgs } from 'node:util';
import { measureFalls } from './calibration/falls.ts';
import { measurePromises } from './calibration/promises.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const [accounts, seed] = [Number(values.accounts), Number(values.seed)];
if (!(accounts >= 1) || !Number.isInteger(seed))
  throw new Error('--accounts and --seed must be whole numbers');

const promises = measurePromises(accounts, seed);
console.log(`${accounts} simulated accounts. "Kept" is beside an oracle's, by the sum over accounts.`);
console.table(
  promises.map(({ target, misses, samples, met, kept, recall, below }) => ({
    target,
    sessions: samples,
    'misses allowed': misses ?? 'any',
    'recall met in %': round(100 * met),
    'kept / oracle': round(kept),
    'mean recall %': round(100 * recall),
    'priors with one session fewer': below,
  })),
);
const falls = measureFalls(accounts, seed);
console.log('Recall falls by ten points after the policy was made; and, beside it, does not.');
console.table(
  falls.map((each) => ({
    target: each.target,
    'reference sessions': each.reference,
    'sessions until noticed, median': each.delay.p50,
    p90: each.delay.p90,
    'noticed within 60, %': round(100 * each.within60),
    'false alarms in 60, %': round(100 * each.falseIn60),
    'false alarms in 1000, %': round(100 * each.falseIn1000),
  })),
);
console.log(JSON.stringify({ accounts, seed, promises, falls }));

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
