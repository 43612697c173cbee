// `npm run eval:compression -- --data DIR` measures what compression saves and loses.
// The script replays recorded sessions. The script prints tables, then one line of JSON.
import { loadCatalog, type CatalogModel } from '@gateway/model-catalog';
import { parseArgs } from 'node:util';
import type { CompressionSettings } from '../../apps/compressor/src/compress-blocks/context-block.ts';
import { measure, type Figures, type ServedReplays } from './compression/figures.ts';
import { replay, type Replay } from './compression/replay.ts';
import { clearsOf } from './compression/clears.ts';
import { loadTranscripts } from './compression/transcripts.ts';

/**
 * Two models with different prompt cache rules. The first model needs explicit cache markers, and the second
 * model caches automatically.
 */
const modelIds = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5'],
] as const;

/** Number of cached tokens of tools and instructions before the messages, similar to the prompts of coding agents. */
const frontTokens = 15_000;

const modes: Readonly<Record<string, Omit<CompressionSettings, 'sessionSeed'>>> = {
  lossless: { mode: 'lossless', recoverable: false },
  balanced: { mode: 'balanced', recoverable: true },
  balanced_without_recovery: { mode: 'balanced', recoverable: false },
};

const { values } = parseArgs({
  options: { data: { type: 'string', default: '../shared/data/transcripts' } },
});
const transcripts = loadTranscripts(values.data);
const models = chooseModels();
const served = mapValues(modes, serve);
for (const mode of Object.keys(modes)) printSteps(mode);
const all = mapValues(served, (list) => measure(list));
const setNames = [...new Set(transcripts.map(({ set }) => set))];
const sets = Object.fromEntries(
  setNames.map((set) => [set, mapValues(served, (list) => measure(only(list, isIn(set))))]),
);
const longest = findLongest();
const withoutLongest = mapValues(served, (list) => measure(only(list, (at) => at !== longest)));
const withFront = mapValues(served, (list) => measure(list, frontTokens));
const withoutLongestWithFront = mapValues(served, (list) =>
  measure(
    only(list, (at) => at !== longest),
    frontTokens,
  ),
);
printTable('all, as served', all);
for (const [name, set] of Object.entries(sets)) printTable(name, set);
printTable(`without the longest transcript (${transcripts[longest]?.id ?? 'none'})`, withoutLongest);
printTable(`${frontTokens} cached tokens of tools and instructions in front`, withFront);
printTable('both: without the longest transcript, cached tokens in front', withoutLongestWithFront);
console.log(
  JSON.stringify({
    ...all,
    sets,
    without_longest: withoutLongest,
    with_front: withFront,
    without_longest_with_front: withoutLongestWithFront,
    longest_transcript: transcripts[longest]?.id ?? null,
    front_tokens: frontTokens,
  }),
);

/**
 * Replays all transcripts for each model. Like an edge, the replay makes declared clears only if models can
 * retrieve the omitted text. Otherwise, all models receive the same text and share one replay.
 */
function serve(settings: Omit<CompressionSettings, 'sessionSeed'>): ServedReplays[] {
  const replayAll = (model: CatalogModel | null): Replay[] =>
    transcripts.map((transcript) => {
      const clears = model === null ? undefined : clearsOf(transcript, model);
      return replay(transcript, { ...settings, sessionSeed: transcript.id }, clears);
    });
  if (settings.recoverable) return models.map((model) => ({ model, replays: replayAll(model) }));
  const replays = replayAll(null);
  return models.map((model) => ({ model, replays }));
}

function only(list: readonly ServedReplays[], isKept: (at: number) => boolean): ServedReplays[] {
  return list.map(({ model, replays }) => ({ model, replays: replays.filter((_, at) => isKept(at)) }));
}

function isIn(set: string): (at: number) => boolean {
  return (at) => transcripts[at]?.set === set;
}

/** Returns the index of the transcript with the most tokens over all of its requests. */
function findLongest(): number {
  const replays = served['lossless']?.[0]?.replays ?? [];
  const totals = replays.map(({ original }) => original.reduce((sum, { tokens }) => sum + tokens, 0));
  return totals.indexOf(Math.max(...totals));
}

/** Returns two models from the catalogue, and a copy of the first model without prompt caching. */
function chooseModels(): CatalogModel[] {
  const catalog = loadCatalog();
  const found = modelIds.flatMap(([provider, id]) => catalog.find(provider, id) ?? []);
  const plain = found.slice(0, 1).map((model) => ({ ...model, modelId: 'no-cache', cache: null }));
  return [...found, ...plain];
}

function printSteps(mode: string): void {
  const sums = new Map<string, { blocks: number; saved: number }>();
  for (const { steps } of (served[mode]?.[0]?.replays ?? []).flatMap(({ outcomes }) => outcomes)) {
    for (const { step, tokensBefore, tokensAfter } of steps) {
      const sum = sums.get(step) ?? { blocks: 0, saved: 0 };
      sums.set(step, { blocks: sum.blocks + 1, saved: sum.saved + tokensBefore - tokensAfter });
    }
  }
  console.log(`\n${mode}: tokens saved by step (estimated), and blocks`);
  for (const [step, { blocks, saved }] of sums) console.log(`  ${step.padEnd(18)} ${saved} in ${blocks}`);
}

function printTable(title: string, byMode: Record<string, Figures>): void {
  console.log(`\n${title}`);
  for (const [mode, figures] of Object.entries(byMode)) {
    console.log(`  ${mode}`);
    for (const [name, figure] of Object.entries(figures)) {
      console.log(
        `    ${name.padEnd(36)} ${typeof figure === 'object' ? JSON.stringify(figure) : String(figure)}`,
      );
    }
  }
}

function mapValues<In, Out>(table: Record<string, In>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, map(value)]));
}
