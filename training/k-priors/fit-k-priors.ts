// Measures how far down the keyword ranking needed tools stand, and writes the router's prior for K from it:
// `node training/k-priors/fit-k-priors.ts [--data DIR] [--check]`. With `--check` it only prints the figures.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { KPolicyBand, KPolicyTarget } from '../../apps/tool-router/src/plan-tools/k-policy.ts';
import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { indexToolList } from '../../apps/tool-router/src/ranking/tool-list-index.ts';
import {
  itemAt,
  loadToolData,
  type PoolSize,
  type Question,
  type ToolData,
} from '../../test/eval/tool-data.ts';
import { applyTarget, fitTarget, type PolicyOutcome, type Sample } from './fit-steps.ts';

const kMin = 5;
const shortListMax = 8;
const recallTargets = [0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99];
/** A band's figures come from pools of about its size. */
const bands: readonly { readonly toolsMax: number; readonly pool: PoolSize }[] = [
  { toolsMax: 50, pool: '25' },
  { toolsMax: 250, pool: '100' },
  { toolsMax: 4096, pool: '500' },
];

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data/tools' },
    check: { type: 'boolean', default: false },
  },
});
const data = loadToolData(values.data);
const notes: string[] = [];
const fitted = bands.map(({ toolsMax, pool }): KPolicyBand => {
  const samples = data.questions.flatMap((question) => makeSample(data, question, pool) ?? []);
  return {
    toolsMax,
    targets: recallTargets.map((recallTarget) => measureTarget(samples, pool, recallTarget)),
  };
});
console.log(notes.join('\n'));
if (!values.check) writePolicy();

/**
 * Golds that are hidden prerequisites of what was asked are left out, where a set marks them: no ranking of the
 * question finds them, and they would switch pruning off for everybody.
 */
function makeSample({ cards }: ToolData, question: Question, pool: PoolSize): Sample | undefined {
  const lines = question.pools[pool];
  if (lines === undefined) return undefined;
  const index = indexToolList(
    '',
    lines.map((line) => itemAt(cards, line)),
  );
  const { userTurns, dataset } = question;
  const { scores, order, topScore, namesTop } = keywordRanker.rank(index, {
    turns: userTurns,
    at: userTurns.length - 1,
  });
  const shareOf = (position: number): number => (scores[position] ?? 0) / (topScore || 1);
  const firsts = new Set(order.subarray(0, kMin));
  const golds = question.mainGold === undefined ? question.golds : [question.mainGold];
  const goldShares = golds.map((alternatives) =>
    Math.max(
      ...alternatives.map((line) => {
        const position = lines.indexOf(line);
        if (position < 0) return -1;
        return firsts.has(position) ? Infinity : shareOf(position);
      }),
    ),
  );
  return { dataset, topScore, namesTop, goldShares, shares: Float64Array.from(order, shareOf) };
}

function measureTarget(samples: readonly Sample[], pool: PoolSize, recallTarget: number): KPolicyTarget {
  const options = { recallTarget, kMin };
  const heldOut = [...new Set(samples.map(({ dataset }) => dataset))].map((set): PolicyOutcome => {
    const rest = samples.filter(({ dataset }) => dataset !== set);
    const own = samples.filter(({ dataset }) => dataset === set);
    return applyTarget(own, fitTarget(rest, options), options);
  });
  const mean = (key: keyof PolicyOutcome): string =>
    ((100 * heldOut.reduce((sum, outcome) => sum + outcome[key], 0)) / heldOut.length).toFixed(1);
  const worst = (100 * Math.min(...heldOut.map(({ recall }) => recall))).toFixed(1);
  notes.push(
    `pool ${pool}, target ${recallTarget}: recall ${mean('recall')} (worst set ${worst}), kept ${mean('kept')}, sent whole ${mean('whole')}`,
  );
  return fitTarget(samples, options);
}

function writePolicy(): void {
  const table = JSON.stringify(fitted);
  const version = createHash('sha256').update(`${kMin},${shortListMax},${table}`).digest('hex').slice(0, 8);
  const policy = { version, shortListMax, kMin, bands: fitted };
  const text = [
    '// Written by `node training/k-priors/fit-k-priors.ts`; see there how it is measured. Do not edit by hand.',
    '// Each public set left out in turn, figures in per cent, means over the sets:',
    ...notes.map((note) => `// ${note}`),
    `import type { KPolicy } from './k-policy.ts';`,
    '',
    `/** The keyword path's prior for K. */`,
    `export const keywordPriors: KPolicy = ${JSON.stringify(policy, null, 2)};`,
    '',
  ].join('\n');
  writeFileSync(join(import.meta.dirname, '../../apps/tool-router/src/plan-tools/keyword-priors.ts'), text);
}
