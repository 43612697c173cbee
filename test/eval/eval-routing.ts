// `npm run eval:routing -- --data DIR` measures the quality of the complexity score for prompts.
// The script prints a table, then one line of JSON.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createComplexityModel, type ComplexityWeights } from '@gateway/model-routing';
import { randomFrom } from '@gateway/testing';
import { scoreSample } from '../../training/complexity/fit-weights.ts';
import { crossFit, foldByDataset, foldWithinDatasets } from '../../training/complexity/folds.ts';
import { loadLabelledPrompts, type LabelledPrompt } from '../../training/complexity/labelled-prompts.ts';
import { bootstrapApgr, measureRouting, type Interval, type Scored } from './routing/routing-figures.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data/routing' },
    samples: { type: 'string', default: '200' },
  },
});
const folder = join(import.meta.dirname, '../../models/complexity');
const shipped = JSON.parse(readFileSync(join(folder, 'weights.json'), 'utf8')) as ComplexityWeights;
createComplexityModel(shipped);
const fittedOn = new Set(readFileSync(join(folder, 'fitted-on.txt'), 'utf8').split('\n'));
const { prompts, skipped } = loadLabelledPrompts(values.data);
const samples = Number(values.samples);
const datasets = [...new Set(prompts.map(({ dataset }) => dataset))].toSorted();

const draw = randomFrom(1);
/**
 * Each method's scores for all prompts. No prompt is scored with weights that were trained on the prompt
 * itself.
 */
const scores = {
  /** Scores from weights that were trained on the other nine tenths of each dataset. */
  score: scoresBy(foldWithinDatasets),
  /** Scores from weights that were trained only on the other datasets. */
  datasets_left_out: scoresBy(foldByDataset),
  prompt_length: prompts.map(({ characters }) => characters),
  random: prompts.map(() => draw()),
  /** The same score for all prompts, as a baseline that chooses prompts for the capable model arbitrarily. */
  always_capable: prompts.map(() => 1),
};
type Way = keyof typeof scores;

function scoresBy(fold: (known: readonly LabelledPrompt[]) => number[]): number[] {
  const known = prompts.filter(({ digest }) => fittedOn.has(digest));
  const crossFitted = known.length === 0 ? [] : crossFit(known, fold(known));
  let next = 0;
  return prompts.map(({ digest, features }) =>
    fittedOn.has(digest) ? (crossFitted[next++] ?? 0) : scoreSample(shipped, features),
  );
}

interface Row {
  readonly prompts: number;
  readonly apgr: Record<Way, number | null>;
  readonly interval: Interval | null;
  readonly callsFor50: number | null;
  readonly callsFor80: number | null;
}

function measure(dataset: string | null): Row {
  const rows = (way: Way): Scored[] =>
    prompts.flatMap((prompt, at) =>
      dataset === null || prompt.dataset === dataset
        ? [{ score: scores[way][at] ?? 0, capable: prompt.capable, cheap: prompt.cheap }]
        : [],
    );
  const scored = rows('score');
  const { callsFor50, callsFor80 } = measureRouting(scored);
  const ways = Object.keys(scores) as Way[];
  const apgr = Object.fromEntries(ways.map((way) => [way, round(measureRouting(rows(way)).apgr)]));
  const interval = bootstrapApgr(scored, samples);
  return { prompts: scored.length, apgr: apgr as Row['apgr'], interval, callsFor50, callsFor80 };
}

const all = measure(null);
const byDataset = datasets.map((dataset) => [dataset, measure(dataset)] as const);
const table = [['all', all] as const, ...byDataset];
printTable();
const judged = byDataset.filter(([, { apgr }]) => apgr.score !== null);
const above = judged.filter(([, { apgr }]) => (apgr.score ?? 0) > (apgr.prompt_length ?? 0));
const unseen = prompts.filter(({ digest }) => !fittedOn.has(digest)).length;
const left = Object.values(skipped).reduce((sum, count) => sum + count, 0);
if (left > 0) console.log(`\n${left} lines could not be used: ${JSON.stringify(skipped)}`);
console.log(
  `\n${prompts.length} prompts, ${unseen} of them unseen by the shipped weights. Above prompt length on ${above.length} of ${judged.length} sets.`,
);
console.log(
  JSON.stringify({
    apgr: columnOf('score'),
    interval: Object.fromEntries(
      table.map(([name, { interval }]) => [name, interval && [round(interval.low), round(interval.high)]]),
    ),
    datasets_left_out: columnOf('datasets_left_out'),
    prompt_length: columnOf('prompt_length'),
    random: columnOf('random'),
    always_capable: columnOf('always_capable'),
    calls_for_50: Object.fromEntries(table.map(([name, row]) => [name, round(row.callsFor50)])),
    calls_for_80: Object.fromEntries(table.map(([name, row]) => [name, round(row.callsFor80)])),
    above_prompt_length: { sets: above.length, of: judged.length },
    prompts: { all: prompts.length, unseen },
    skipped,
  }),
);

function columnOf(way: Way): Record<string, number | null> {
  return Object.fromEntries(table.map(([name, { apgr }]) => [name, apgr[way]]));
}

function printTable(): void {
  const head = ['prompts', 'APGR', '95%', 'left out', 'length', 'random', 'calls 50%', 'calls 80%'];
  console.log(`${'dataset'.padEnd(42)}${head.map((name) => name.padStart(14)).join('')}`);
  for (const [name, { prompts: count, apgr, interval, callsFor50, callsFor80 }] of table) {
    const span = interval === null ? '–' : `${interval.low.toFixed(3)}–${interval.high.toFixed(3)}`;
    const figures = [apgr.datasets_left_out, apgr.prompt_length, apgr.random, callsFor50, callsFor80];
    const cells = [String(count), show(apgr.score), span, ...figures.map(show)];
    console.log(`${name.padEnd(42)}${cells.map((cell) => cell.padStart(14)).join('')}`);
  }
}

function show(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

function round(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000;
}
