// `npm run test:soak -- --minutes N` sends a constant load for N minutes, and measures memory, file descriptors, Redis
// keys, tables and the spool. The command prints one line per quantity, and one JSON line at the end.
// `--rate R` sends R requests per second. Without `--minutes`, the command runs the specs of the folder.
import { parseArgs } from 'node:util';
import { runSuite } from '../../tools/bootstrap/commands/suites.ts';
import { runSoak } from './run-soak.ts';
import type { Verdict } from './verdict.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' }, rate: { type: 'string', default: '20' } },
});

const round = (value: number): number => Number(value.toPrecision(4));

function renderVerdict({ name, unit, median, slopePerMinute, ...verdict }: Verdict): string {
  const interval = `${round(verdict.lowPerMinute)} to ${round(verdict.highPerMinute)}`;
  const growth = `growth ${round(verdict.growth)} of at most ${round(verdict.allowed)}`;
  return `${verdict.isPlateau ? '✓' : '✗'} ${name}: median ${round(median)} ${unit}, slope ${round(slopePerMinute)} per minute (99%: ${interval}), ${growth}`;
}

if (values.minutes === undefined) process.exitCode = (await runSuite('soak', positionals)).exitCode;
else {
  const [minutes, perSecond] = [Number(values.minutes), Number(values.rate)];
  if (!(minutes > 0 && perSecond > 0)) throw new Error('--minutes and --rate must be positive numbers');
  const result = await runSoak({ minutes, perSecond });
  for (const verdict of result.verdicts) console.log(renderVerdict(verdict));
  for (const leftover of result.leftovers) console.log(`✗ after the load: ${leftover}`);
  const verdicts = result.verdicts.map((verdict) => ({
    ...{ name: verdict.name, unit: verdict.unit, median: round(verdict.median) },
    slopePerMinute: round(verdict.slopePerMinute),
    noisePerMinute: [round(verdict.lowPerMinute), round(verdict.highPerMinute)],
    isPlateau: verdict.isPlateau,
  }));
  console.log(JSON.stringify({ ...result, verdicts }));
  process.exitCode = result.isOk ? 0 : 1;
}
