// Evaluates calibration on simulated accounts with a known true recall.
// Conversations pass through the tool router, the worker's calibration and the routing policy.
// The evaluation compares each account's true recall with the recall target.
// The evaluation also compares the number of forwarded tools with the number that an oracle would forward.
// The evaluation also measures the delay of recall alarms and the rate of false alarms.
// The last output line is JSON.
// `npm run eval:calibration -- [--accounts 300] [--falls 40] [--quiet 100] [--seed 1] [--part promises|falls|limits|quiet]
// [--targets 0.9,0.95,0.99]`.
import { parseArgs } from 'node:util';
import {
  measureFalls,
  measureQuiet,
  quietConversations,
  targets as allTargets,
  usual,
  watchedMax,
  type Delays,
} from './calibration/falls.ts';
import { measureLimits } from './calibration/fall-limit.ts';
import { measurePromises } from './calibration/promises.ts';

const { values } = parseArgs({
  options: {
    /** Number of simulated accounts per row of the first table. */
    accounts: { type: 'string', default: '300' },
    /** Number of simulated accounts for each kind of recall fall, recall target and recovery rate. */
    falls: { type: 'string', default: '40' },
    /** For traffic with constant recall, the number of simulated accounts per recall target and kind of traffic. */
    quiet: { type: 'string', default: '100' },
    part: { type: 'string', default: 'all' },
    /** The recall targets of the parts `falls` and `quiet`. The figures of a target do not depend on the others. */
    targets: { type: 'string', default: '0.9,0.95,0.99' },
    seed: { type: 'string', default: '1' },
  },
});
const counts = {
  accounts: Number(values.accounts),
  falls: Number(values.falls),
  quiet: Number(values.quiet),
  seed: Number(values.seed),
};
if (
  Object.values(counts).some((count) => !Number.isInteger(count)) ||
  Math.min(counts.accounts, counts.falls, counts.quiet) < 1
)
  throw new Error('--accounts, --falls, --quiet and --seed must be whole numbers');
const targets = values.targets.split(',').map(Number);
if (targets.some((target) => !allTargets.includes(target)))
  throw new Error(`--targets must be a list of ${allTargets.join(', ')}`);
if (!['all', 'promises', 'falls', 'limits', 'quiet'].includes(values.part))
  throw new Error('--part must be all, promises, falls, limits or quiet');

const isIn = (part: string): boolean => values.part === 'all' || values.part === part;
const promises = isIn('promises') ? measurePromises(counts.accounts, counts.seed) : [];
if (promises.length > 0) {
  console.log(`Recall and tools, ${counts.accounts} simulated accounts per row. The oracle knows all needs.`);
  console.table(
    promises.map(({ target, hasRecovery, sessions, met, standardError, ...figures }) => ({
      ...{ target, recovery: hasRecovery, sessions },
      'target met, %': `${round(100 * met)} ± ${round(100 * standardError)}`,
      'measured / prior / off, %': [figures.calibrated, figures.prior, figures.off]
        .map((share) => Math.round(100 * share))
        .join(' / '),
      'kept / oracle': render(figures.kept),
      'kept / oracle that knows ρ': render(figures.keptKnowingRate),
      'effective recall': render(figures.effectiveRecall, 1000),
    })),
  );
}
const falls = isIn('falls') ? measureFalls(targets, counts.falls, counts.seed) : [];
if (falls.length > 0) {
  console.log(
    `Forwarded recall falls by ten points after ${usual} conversations: conversations of traffic until it is seen.`,
  );
  console.table(
    falls.map(({ target, recoveryRate, stretched, strayed, both }) => ({
      ...{ target, 'true ρ': recoveryRate },
      median: both.p50,
      'ranks stretched: suspected, median, p90': list(stretched),
      'tools astray: suspected, median, p90': list(strayed),
    })),
  );
}
const limits = isIn('limits') ? measureLimits(counts.falls, counts.seed) : [];
if (limits.length > 0) {
  console.log(
    'The smallest possible delay, for a test that knows the distributions before and after the fall, in conversations.',
  );
  console.table(
    limits.map(({ target, recoveryRate, stretched, strayed, both }) => ({
      ...{ target, 'true ρ': recoveryRate },
      'median delay': Math.round(both.delay),
      'ranks stretched': Math.round(stretched.delay),
      'tools astray': Math.round(strayed.delay),
      'tools astray, all in shadow': Math.round(strayed.delayAllShadow),
      'nats per pruned conversation': round(strayed.prunedNats, 10_000),
      'nats per shadow conversation': `${round(stretched.shadowNats, 1000)}, ${round(strayed.shadowNats, 1000)}`,
    })),
  );
}
const quiet = isIn('quiet') ? measureQuiet(targets, counts.quiet, counts.seed) : [];
if (quiet.length > 0) {
  console.log(
    `Accounts with a false alarm in ${quietConversations} conversations, ${counts.quiet} accounts per figure.`,
  );
  console.table(
    quiet.map(({ target, independent, episodes, standardError, shadowShare }) => ({
      target,
      'independent, %': `${round(100 * independent)} ± ${round(100 * standardError.independent)}`,
      'episodes of ten, %': `${round(100 * episodes)} ± ${round(100 * standardError.episodes)}`,
      'in shadow, %': round(100 * shadowShare),
    })),
  );
}
console.log(JSON.stringify({ ...counts, promises, falls, limits, quiet }));

function round(value: number, factor = 100): number {
  return Math.round(value * factor) / factor;
}

function render(value: number | null, factor = 100): number | null {
  return value === null ? null : round(value, factor);
}

function list({ suspectedP50, p50, p90 }: Delays): string {
  return [suspectedP50, p50, p90].map((delay) => delay ?? `over ${watchedMax}`).join(', ');
}
