// `npm run test:chaos -- --seed N --seconds S` runs one seed or a range of seeds (`1..20`), and checks each history.
// `--shrink R` shortens a failing seed's list of faults within at most R runs, and saves the list in `regressions/`.
// `--replay FILE` runs a regression file. Without options, the command runs the specs of the folder.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSuite } from '../../tools/bootstrap/commands/suites.ts';
import { checkHistory } from './check-history.ts';
import { describeRun } from './describe-run.ts';
import type { Violation } from './history.ts';
import { drawFaults } from './nemesis.ts';
import { runSeed, type RunOptions } from './run-seed.ts';
import { shrink } from './shrink.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    shrink: { type: 'string', default: '0' },
    replay: { type: 'string' },
  },
});
const runsMax = Number(values.shrink);
/** The folder for complete histories. */
const historyFolder = join(import.meta.dirname, '../../.data/chaos');

/** Parses one seed, or a range of seeds such as `1..20`. */
function parseSeeds(text: string): number[] {
  const [first = NaN, last = first] = text.split('..').map(Number);
  if (!Number.isInteger(first) || !Number.isInteger(last)) throw new Error(`--seed ${text} is not a range`);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function listRuns(): RunOptions[] {
  if (values.replay !== undefined) return [JSON.parse(readFileSync(values.replay, 'utf8')) as RunOptions];
  const seconds = Number(values.seconds);
  return parseSeeds(values.seed ?? '').map((seed) => ({ seed, seconds, faults: drawFaults(seed, seconds) }));
}

/** Runs one seed, writes the history to a file, and prints a summary. */
async function run(options: RunOptions): Promise<Violation[]> {
  const history = await runSeed(options);
  const violations = checkHistory(history);
  mkdirSync(historyFolder, { recursive: true });
  const file = join(historyFolder, `seed-${options.seed}.json`);
  writeFileSync(file, JSON.stringify({ options, violations, history }));
  console.log(describeRun(options, history, violations));
  return violations;
}

/** Shortens the list of faults in a failing run. The shorter run must still violate one of the same promises. */
async function keepShortest(options: RunOptions, violations: readonly Violation[]): Promise<void> {
  const broken = new Set(violations.map(({ promise }) => promise));
  const fails = async (faults: RunOptions['faults']): Promise<boolean> =>
    (await run({ ...options, faults })).some(({ promise }) => broken.has(promise));
  const faults = await shrink(options.faults, fails, runsMax);
  const file = join(import.meta.dirname, 'regressions', `seed-${options.seed}-${[...broken][0] ?? ''}.json`);
  writeFileSync(file, `${JSON.stringify({ ...options, faults }, null, 2)}\n`);
  console.log(`${options.faults.length} faults were shortened to ${faults.length}, in ${file}`);
}

if (values.seed === undefined && values.replay === undefined)
  process.exitCode = (await runSuite('chaos', positionals)).exitCode;
else
  for (const options of listRuns()) {
    const violations = await run(options);
    if (violations.length === 0) continue;
    process.exitCode = 1;
    if (runsMax > 0) await keepShortest(options, violations);
  }
