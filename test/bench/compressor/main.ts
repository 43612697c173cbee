// `npm run bench:compressor` measures the cost of compression on one processor core.
// Reported times are CPU milliseconds of the benchmark's process, each as the minimum of a few runs.
// The script prints tables and one line of JSON, and exits with 1 if a limit is exceeded.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type {
  CompressionSettings,
  ContextBlock,
} from '../../../apps/compressor/src/compress-blocks/context-block.ts';
import { ConversationCompressor } from '../../../apps/compressor/src/compress-blocks/conversation.ts';
import { OnnxLineScorer } from '../../../tools/line-scorer/line-scorer.ts';
import { writeSmallScorer } from '../../../tools/line-scorer/small-scorer.ts';
import { kinds, makeBlocks, pathological, type Kind } from './texts.ts';

const bounds = { coldMs: 60, tailMs: 10, pathologicalMs: 50, memoryMiB: 64, doubling: 2.3 } as const;
const modes: readonly CompressionSettings[] = [
  { mode: 'lossless', recoverable: false, sessionSeed: 'bench' },
  { mode: 'balanced', recoverable: true, sessionSeed: 'bench' },
];
const tokens = 100_000;
const runs = 7;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const broken: string[] = [];

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function best(prepare: () => () => void): number {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) least = Math.min(least, cpuMs(prepare()));
  return Math.round(least * 100) / 100;
}

function compressAll(blocks: readonly ContextBlock[], settings: CompressionSettings): ConversationCompressor {
  const compressor = new ConversationCompressor(settings);
  for (const block of blocks) compressor.add(block);
  return compressor;
}

function hold(what: string, value: number, bound: number): number {
  if (value > bound) broken.push(`${what}: ${value} > ${bound}`);
  return value;
}

function measure(kind: Kind, settings: CompressionSettings) {
  const name = `${kind} ${settings.mode}`;
  const blocks = makeBlocks(kind, tokens);
  const json = JSON.stringify(blocks);
  const parse_ms = best(() => () => void JSON.parse(json));
  const cold_ms = hold(
    `${name} cold`,
    best(() => () => void compressAll(blocks, settings)),
    bounds.coldMs,
  );
  const tail_ms = hold(
    `${name} tail`,
    best(() => {
      const known = compressAll(blocks.slice(0, -2), settings);
      return () => blocks.slice(-2).forEach((block) => known.add(block));
    }),
    bounds.tailMs,
  );
  const doubling = hold(`${name} doubling`, measureDoubling(kind, settings), bounds.doubling);
  const memory_mib = hold(`${name} memory`, measureMemory(blocks, settings), bounds.memoryMiB);
  const over_json_parse = Math.round((10 * cold_ms) / parse_ms) / 10;
  return { cold_ms, tail_ms, parse_ms, over_json_parse, doubling, memory_mib };
}

/**
 * Measures a text and a text of twice the size alternately, so that other load on the machine affects both
 * measurements equally.
 */
function measureDoubling(kind: Kind, settings: CompressionSettings): number {
  const [single, double] = [makeBlocks(kind, 2 * tokens), makeBlocks(kind, 4 * tokens)];
  let [once, twice] = [Infinity, Infinity];
  for (let run = 0; run < runs; run += 1) {
    collectGarbage();
    once = Math.min(
      once,
      cpuMs(() => void compressAll(single, settings)),
    );
    collectGarbage();
    twice = Math.min(
      twice,
      cpuMs(() => void compressAll(double, settings)),
    );
  }
  return Math.round((100 * twice) / once) / 100;
}

/**
 * Returns the memory that compression allocates, including garbage that is not yet collected. The returned
 * size is an upper bound for the live memory.
 */
function measureMemory(blocks: readonly ContextBlock[], settings: CompressionSettings): number {
  collectGarbage();
  const before = usedBytes();
  const compressor = compressAll(blocks, settings);
  const used = usedBytes() - before;
  if (compressor.characters === 0) throw new Error('nothing was compressed');
  return Math.round(used / 1024 / 1024);
}

/**
 * Measures the cost of choosing the important lines with a model instead of a rule. The scorer model reads
 * all lines in each compression.
 */
async function measureScorer() {
  const folder = await writeSmallScorer(await mkdtemp(join(tmpdir(), 'scorer-')));
  const opened = await OnnxLineScorer.open(folder);
  const costs: Record<string, { lines: number; scorer_ms: number; over_compression: number }> = {};
  for (const kind of kinds) {
    const lines = makeBlocks(kind, tokens).flatMap(({ text }) => text.split('\n'));
    let least = Infinity;
    for (let run = 0; run < runs; run += 1) {
      const before = process.cpuUsage();
      await opened.score('which invoice of the customer is overdue?', lines);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1000);
    }
    const compression = report['balanced']?.[kind]?.cold_ms ?? 0;
    const over_compression = Math.round((10 * least) / compression) / 10;
    costs[kind] = { lines: lines.length, scorer_ms: Math.round(least), over_compression };
  }
  await opened.release();
  await rm(folder, { recursive: true });
  return costs;
}

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const report = Object.fromEntries(
  modes.map((settings) => [
    settings.mode,
    Object.fromEntries(kinds.map((kind) => [kind, measure(kind, settings)])),
  ]),
);
for (const [mode, table] of Object.entries(report)) {
  console.log(`\n${mode}, ${tokens} tokens`);
  console.table(table);
}
const worst = Object.fromEntries(
  Object.entries(pathological).map(([name, make]) => {
    const block: ContextBlock = { speaker: 'tool', text: make(), frozen: false };
    const times = modes.flatMap((settings) =>
      [false, true].map((old) => best(() => () => void compressAll([{ ...block, old }], settings))),
    );
    return [name, hold(name, Math.max(...times), bounds.pathologicalMs)];
  }),
);
console.log('\npathological inputs, the slower mode, ms');
console.table(worst);
const scorer = await measureScorer();
console.log(
  '\na learned scorer of lines (16,384 words of 64 numbers), ms and times the compression of the same text',
);
console.table(scorer);
for (const line of broken) console.log(`over its bound: ${line}`);
console.log(JSON.stringify({ tokens, ...report, pathological_ms: worst, scorer, bounds, broken }));
if (broken.length > 0) process.exitCode = 1;
