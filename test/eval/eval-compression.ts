// Measures how much compression saves on recorded sessions, and whether content is lost: `npm run
// eval:compression -- --data DIR`. Prints tables, then one line of JSON.
import { loadCatalog, type CatalogModel } from '@gateway/model-catalog';
import { parseArgs } from 'node:util';
import type { CompressionSettings } from '../../apps/compressor/src/compress-blocks/context-block.ts';
import { measure, type Figures } from './compression/figures.ts';
import { replay, type Replay } from './compression/replay.ts';
import { clearsOf } from './compression/clears.ts';
import { loadTranscripts, type Transcript } from './compression/transcripts.ts';

/** One model for each kind of cache: explicit markers, automatic, and none. */
const modelIds = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5'],
] as const;

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
const replays = Object.fromEntries(Object.keys(modes).map((mode) => [mode, transcripts.map(replayIn(mode))]));
for (const mode of Object.keys(modes)) printSteps(mode);
const all = mapValues(replays, (list) => measure(list, models));
const setNames = [...new Set(transcripts.map(({ set }) => set))];
const sets = Object.fromEntries(
  setNames.map((set) => [set, mapValues(replays, (list) => measure(list.filter(isIn(set)), models))]),
);
const clears = Object.fromEntries(models.map((model) => [model.modelId, measureClears(model)]));
printTable('all', all);
for (const [name, set] of Object.entries(sets)) printTable(name, set);
printTable('balanced, with the clears that each model’s prices and window call for', clears);
console.log(JSON.stringify({ ...all, sets, clears }));

/**
 * The time at which a clear is declared depends on the model, so each model has a separate replay and bill.
 */
function measureClears(model: CatalogModel): Figures {
  const settings = modes['balanced'] ?? { mode: 'balanced', recoverable: true };
  return measure(
    transcripts.map((transcript) =>
      replay(transcript, { ...settings, sessionSeed: transcript.id }, clearsOf(transcript, model)),
    ),
    [model],
  );
}

function replayIn(mode: string): (transcript: Transcript) => Replay {
  const settings = modes[mode];
  return (transcript) =>
    replay(transcript, settings === undefined ? null : { ...settings, sessionSeed: transcript.id });
}

function isIn(set: string): (replayed: Replay, at: number) => boolean {
  return (_, at) => transcripts[at]?.set === set;
}

/** Two models from the catalogue, and the first again without its cache. */
function chooseModels(): CatalogModel[] {
  const catalog = loadCatalog();
  const found = modelIds.flatMap(([provider, id]) => catalog.find(provider, id) ?? []);
  const plain = found.slice(0, 1).map((model) => ({ ...model, modelId: 'no-cache', cache: null }));
  return [...found, ...plain];
}

function printSteps(mode: string): void {
  const sums = new Map<string, { blocks: number; saved: number }>();
  for (const { steps } of (replays[mode] ?? []).flatMap(({ outcomes }) => outcomes)) {
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
