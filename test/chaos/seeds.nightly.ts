import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkHistory } from './check-history.ts';
import { drawFaults } from './nemesis.ts';
import { runSeed, type RunOptions } from './run-seed.ts';

const seconds = 120;
const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
const regressions = join(import.meta.dirname, 'regressions');
const files = readdirSync(regressions).filter((file) => file.endsWith('.json'));

it.each(files)('the shortened faults in regressions/%s break no promise', async (file) => {
  const options = JSON.parse(readFileSync(join(regressions, file), 'utf8')) as RunOptions;
  expect(checkHistory(await runSeed(options))).toEqual([]);
});

it.each(seeds)('seed %i breaks no promise in two minutes', async (seed) => {
  const history = await runSeed({ seed, seconds, faults: drawFaults(seed, seconds) });
  expect(checkHistory(history)).toEqual([]);
});
