// Measures the ranks of needed tools for a ranking method, and writes the router's prior for K. Usage:
// `node training/k-priors/fit-k-priors.ts [--lane keyword|semantic|both] [--questions N] [--data DIR] [--check]`.
// With `--check`, the command prints the priors without writing them.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RecallBand, RecallPrior } from '../../apps/tool-router/src/policy/recall-prior.ts';
import { shortListMax } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { surenessOf } from '../../apps/tool-router/src/policy/recall-prior.ts';
import { loadToolData, type PoolSize, type Question } from '../../test/eval/tool-data.ts';
import { applyTarget, fitClasses, type PolicyOutcome, type Sample } from './fit-curves.ts';
import { laneNames, openLane, type Lane, type LaneName } from './lanes.ts';

const kMin = 5;
/**
 * The minimum score of the best-ranked tool for a turn that counts as informative. For the keyword method, the
 * minimum is about the score of one rare word in a tool name.
 */
const surenessMin: Readonly<Record<LaneName, number>> = { keyword: 3, semantic: 0, both: 0 };
const recallTargets = [0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99];
/** The lengths of tool lists. The priors for each list length come from candidate pools of a similar length. */
const bands: readonly { readonly toolsMax: number; readonly pool: PoolSize }[] = [
  { toolsMax: 50, pool: '25' },
  { toolsMax: 250, pool: '100' },
  { toolsMax: 4096, pool: '500' },
];

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data/tools' },
    lane: { type: 'string', default: 'keyword' },
    /** Number of questions per tool set. 0 means all questions. */
    questions: { type: 'string', default: '0' },
    check: { type: 'boolean', default: false },
  },
});
const laneName = laneNames.find((name) => name === values.lane);
if (laneName === undefined) throw new Error(`--lane ${laneNames.join('|')}`);
const data = loadToolData(values.data);
const lane = openLane(laneName, data);
const notes: string[] = [];
const fitted: RecallBand[] = [];
for (const { toolsMax, pool } of bands) {
  const samples = await makeSamples(lane, pool);
  for (const recallTarget of recallTargets) notes.push(measureHeldOut(samples, pool, recallTarget));
  fitted.push({ toolsMax, measuredTools: Number(pool), ...fitClasses(samples, Number(pool)) });
}
console.log(notes.join('\n'));
if (!values.check) writePrior(laneName);
process.exit(0);

async function makeSamples({ rank }: Lane, pool: PoolSize): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const question of drawQuestions()) {
    const lines = question.pools[pool];
    if (lines === undefined) continue;
    const ranking = await rank(question, lines);
    const ranks = new Map(Array.from(ranking.order, (position, at) => [lines[position], at + 1]));
    samples.push({
      dataset: question.dataset,
      sureness: surenessOf(ranking),
      namesTop: ranking.namesTop,
      goldRanks: goldsOf(question).map((alternatives) =>
        Math.min(...alternatives.map((line) => ranks.get(line) ?? Infinity)),
      ),
      tools: lines.length,
    });
  }
  return samples;
}

/** Returns the first questions of each tool set. A seeded sample determines the order of the candidate pools. */
function drawQuestions(): readonly Question[] {
  const limit = Number(values.questions);
  if (limit === 0) return data.questions;
  const bySet = Map.groupBy(data.questions, ({ dataset }) => dataset);
  return [...bySet.values()].flatMap((questions) => questions.slice(0, limit));
}

/**
 * Skips needed tools that a tool set marks as hidden prerequisites of the request. No ranking for a question
 * can find these tools, so priors that include them would turn pruning off for every account.
 */
function goldsOf({ golds, mainGold }: Question): readonly (readonly number[])[] {
  return mainGold === undefined ? golds : [mainGold];
}

function measureHeldOut(samples: readonly Sample[], pool: PoolSize, recallTarget: number): string {
  const heldOut = [...new Set(samples.map(({ dataset }) => dataset))].map((set): PolicyOutcome => {
    const rest = samples.filter(({ dataset }) => dataset !== set);
    const own = samples.filter(({ dataset }) => dataset === set);
    return applyTarget(own, fitClasses(rest, Number(pool)), { recallTarget, kMin });
  });
  const mean = (key: keyof PolicyOutcome): string =>
    ((100 * heldOut.reduce((sum, outcome) => sum + outcome[key], 0)) / heldOut.length).toFixed(1);
  const worst = (100 * Math.min(...heldOut.map(({ recall }) => recall))).toFixed(1);
  return `pool ${pool}, target ${recallTarget}: recall ${mean('recall')} (worst set ${worst}), kept ${mean('kept')}, sent whole ${mean('whole')}`;
}

function writePrior(laneName: LaneName): void {
  const table = JSON.stringify(fitted);
  const minimum = surenessMin[laneName];
  const version = createHash('sha256')
    .update(`${kMin},${shortListMax},${minimum},${table}`)
    .digest('hex')
    .slice(0, 8);
  const prior: Omit<RecallPrior, 'deferral'> = { version, kMin, surenessMin: minimum, bands: fitted };
  const madeBy = `node training/k-priors/fit-k-priors.ts --lane ${laneName}`;
  const folder = join(import.meta.dirname, '../../apps/tool-router/src/policy');
  writeFileSync(
    join(folder, `${laneName}-prior.json`),
    `${JSON.stringify({ madeBy, heldOut: notes, ...prior })}\n`,
  );
}
