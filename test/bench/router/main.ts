// `npm run bench:router [-- --quick]` measures the CPU time and memory of the tool router.
// Each measurement runs in a separate process. If taskset is available, the process is pinned to one core.
// The script prints a table, then one line of JSON, and exits with 1 if a limit is exceeded.
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { boundHeapGrowth } from '../../../apps/tool-router/src/assemble-router.ts';
import { serviceRow } from '../../../tools/bootstrap/stack/service-table.ts';
import { measureBoth, measureKnown, measureLoad, measureMemory, measureNew } from './parts.ts';
import { measurePeer } from './peer.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    quick: { type: 'boolean', default: false },
    tools: { type: 'string' },
  },
});
const { quick } = values;
const memoryTools = Number(values.tools ?? (quick ? 10_000 : 100_000));
const parts = {
  known: () => measureKnown(quick ? 300 : 2000),
  both: () => measureBoth(quick ? 200 : 1000),
  both_head: () => measureBoth(quick ? 200 : 1000, true),
  new: () => measureNew(quick ? 5 : 30),
  load: () => measureLoad(200, quick ? 3 : 20, 'first'),
  load_both: () => measureLoad(100, quick ? 3 : 20, 'both'),
  memory: () => measureMemory(memoryTools, 'first'),
  memory_both: () => measureMemory(memoryTools, 'both'),
  peer: () => measurePeer(quick ? 32 : 200),
} as const;
type Part = keyof typeof parts;
type Results = { [Name in Part]: Awaited<ReturnType<(typeof parts)[Name]>> };

/**
 * The measurements that run on a single core. The remaining measurements use a second core for inference, if
 * available.
 */
const onOneCore: readonly Part[] = ['load', 'load_both'];

if (values.part !== undefined) {
  boundHeapGrowth();
  console.log(JSON.stringify(await parts[values.part as Part]()));
} else {
  const results = Object.fromEntries(
    (Object.keys(parts) as Part[]).map((part) => [part, runPart(part)]),
  ) as unknown as Results;
  report(results);
}

function runPart(part: Part): unknown {
  const self = process.argv[1] ?? '';
  // The process runs with the router service's Node options.
  const { nodeOptions } = serviceRow('tool-router');
  const node = [process.execPath, '--expose-gc', ...nodeOptions, self, '--part', part];
  const command = onOneCore.includes(part) && hasTaskset() ? ['taskset', '-c', '0', ...node] : node;
  const [program = '', ...args] = quick ? [...command, '--quick'] : command;
  const { stdout, status } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${part} ended with ${status}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

function hasTaskset(): boolean {
  return spawnSync('taskset', ['-c', '0', 'true']).status === 0;
}

type Figures = Record<string, Record<string, unknown>>;

function report(results: Results): void {
  const known = results.known as Figures;
  const fresh = results.new as Figures;
  console.log('list known, a turn not seen before, first encoder');
  console.table(known);
  console.log('list of 100 known, both encoders');
  console.table(results.both);
  console.log('list of 100 known, both encoders and an account head');
  console.table(results.both_head);
  console.log('list new: definitions and plan');
  console.table(fresh);
  console.log('questions at a fixed pace, on one core');
  const loads = Object.entries({ load: results.load, load_both: results.load_both });
  console.table(
    Object.fromEntries(
      loads.map(([name, each]) => [name, { ...each, rankers: JSON.stringify(each.rankers) }]),
    ),
  );
  console.log('memory');
  console.table({ memory: results.memory, memory_both: results.memory_both });
  console.log('peer: every tool through an encoder of MiniLM’s size');
  console.table({ peer: { ...results.peer, cpu_ms: JSON.stringify(results.peer.cpu_ms) } });
  const checks = boundsOf(known, fresh, results);
  const broken = checks
    .filter(([, value, bound]) => !(value <= bound))
    .map(([what, value, bound]) => `${what}: ${value} > ${bound}`);
  for (const line of broken) console.log(`over its bound: ${line}`);
  const load_average = loadavg().map((value) => Math.round(value * 10) / 10);
  const bounds = Object.fromEntries(checks.map(([what, , bound]) => [what, bound]));
  console.log(JSON.stringify({ ...results, load_average, bounds, broken }));
  if (broken.length > 0) process.exitCode = 1;
}

type Check = readonly [what: string, value: number, bound: number];

function boundsOf(known: Figures, fresh: Figures, results: Results): Check[] {
  const { both, both_head, load, load_both, memory, memory_both } = results;
  const of = (figures: Figures, size: number, key: string): number => Number(figures[size]?.[key] ?? NaN);
  const ofBoth = (request: string): number =>
    both[request]?.ranker === 'semantic.2' ? both[request].p50_ms : NaN;
  const ofHead = (request: string): number =>
    both_head[request]?.ranker === 'semantic.2+head' ? both_head[request].p50_ms : NaN;
  return [
    ['known 25, p50 ms', of(known, 25, 'p50_ms'), 1],
    ['known 100, p50 ms', of(known, 100, 'p50_ms'), 2],
    ['known 1,000, p50 ms', of(known, 1000, 'p50_ms'), 10],
    ['both encoders, first turn, p50 ms', ofBoth('first_turn'), 15],
    ['both encoders, later step, p50 ms', ofBoth('later_step'), 2],
    ['both encoders, later user turn, p50 ms', ofBoth('later_user_turn'), 15],
    ['account head, first turn, p50 ms', ofHead('first_turn'), 15],
    ['account head, later step, p50 ms', ofHead('later_step'), 2],
    ['account head, later user turn, p50 ms', ofHead('later_user_turn'), 15],
    [
      'new 200 by vectors, p50 ms',
      fresh[200]?.['method'] === 'semantic' ? of(fresh, 200, 'p50_ms') : NaN,
      90,
    ],
    [
      'new 1,000 by keyword, p50 ms',
      fresh[1000]?.['method'] === 'keyword' ? of(fresh, 1000, 'p50_ms') : NaN,
      30,
    ],
    ['vectors after it, ms a tool', of(fresh, 1000, 'vectors_after_ms_a_tool'), 0.4],
    ['200 a second on one core, p99 ms', load.p99_ms, 30],
    ['both encoders, 100 a second on one core, p99 ms', load_both.p99_ms, 60],
    ['memory, MB', memory.rss_mb, 500],
    ['both encoders, memory, MB', memory_both.rss_mb, 700],
  ];
}
