// `npm run eval:tools -- --data DIR` measures the rank that each ranking method gives to needed tools.
// The ranking methods receive the planner's question, and the transcript in the shortened form that an edge sends.
// The script prints tables, then one line of JSON.
// The JSON fields `mean`, `sets` and `targets` describe the semantic method.
// Tools of a training set are ranked by models that were trained without the set's family (training/folds.ts).
// Tools of a set without training data are ranked by the shipped models.
import { parseArgs } from 'node:util';
import { foldOf } from '../../training/folds.ts';
import { measureKeeping, type KeepFigures, type KeepSample } from './keep-shares.ts';
import { pathNames, rankByPath, type PathName } from './rank-paths.ts';
import { FirstTurns } from './first-turns.ts';
import { meanFigures, measureK95, measureRanking, type RankingFigures } from './ranking-figures.ts';
import { SemanticPath } from './semantic-path.ts';
import { itemAt, loadToolData, poolNames, type PoolName, type Question } from './tool-data.ts';

type Figures = RankingFigures & { readonly k95?: number | null };
type Table = Record<string, Partial<Record<PoolName, Figures>>>;

const recallTargets = [0.9, 0.95, 0.99] as const;
const keepPool = '100';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data/tools' },
    pools: { type: 'string', default: poolNames.join(',') },
  },
});
const wantedPools = poolNames.filter((name) => values.pools.split(',').includes(name));
const data = loadToolData(values.data);
const semantic = new SemanticPath(data);
const definitionTokens = data.definitions.map(({ name, description, parameters }) =>
  Math.ceil(JSON.stringify({ name, description, parameters }).length / 4),
);
const tookMs: Record<PathName, number[]> = {
  ...{ bm25_fielded: [], keyword: [] },
  ...{ first_encoder: [], semantic: [], first_turn: [] },
};
const ranks = new Map<string, number[][]>();
const keepSamples = new Map<string, KeepSample[]>();
const firstTurns = new FirstTurns(data);
for (const question of data.questions) {
  for (const pool of wantedPools) for (const path of pathNames) await rankQuestion(question, pool, path);
}

const setNames = [...new Set(data.questions.map(({ dataset }) => dataset))];
const tables = Object.fromEntries(pathNames.map((path) => [path, tabulate(path)])) as Record<PathName, Table>;
const means = Object.fromEntries(pathNames.map((path) => [path, meanOfSets(tables[path])])) as Record<
  PathName,
  Partial<Record<PoolName, Figures>>
>;
const keeping = Object.fromEntries(recallTargets.map((target) => [target, keepAll(target)]));
for (const pool of wantedPools) if (means.semantic[pool] !== undefined) printPool(pool);
printKeeping();
printServed();
console.log(
  JSON.stringify({
    mean: means.semantic,
    sets: tables.semantic,
    targets: keeping,
    ms: Object.fromEntries(
      pathNames.map((path) => [
        path,
        { rank_p50: quantile(tookMs[path], 0.5), rank_p99: quantile(tookMs[path], 0.99) },
      ]),
    ),
    keyword: { mean: means.keyword, sets: tables.keyword },
    bm25_fielded: { mean: means.bm25_fielded, sets: tables.bm25_fielded },
    first_encoder: { mean: means.first_encoder, sets: tables.first_encoder },
    first_turn: { mean: means.first_turn, sets: tables.first_turn },
    as_served: compareServed(),
    says_nothing: firstTurns.measure(),
    against_bm25_fielded: compareWithBaseline(),
    held_out: setNames.filter((name) => foldOf(name) !== undefined),
  }),
);

async function rankQuestion(question: Question, pool: PoolName, path: PathName): Promise<void> {
  const lines = question.pools[pool];
  if (lines === undefined) return;
  const ranked = await rankByPath(path, data, semantic, question, lines);
  if (pool === keepPool) tookMs[path].push(ranked.tookMs);
  if (pool === keepPool && path === 'first_turn') firstTurns.add(question, lines, ranked);
  pushTo(ranks, `${path} ${question.dataset} ${pool}`, [...ranked.goldRanks]);
  if (pool !== keepPool || path !== 'semantic') return;
  pushTo(keepSamples, question.dataset, {
    ranked,
    tokens: lines.map((line) => itemAt(definitionTokens, line)),
  });
}

function tabulate(path: PathName): Table {
  return Object.fromEntries(
    setNames.map((set) => [
      set,
      Object.fromEntries(
        wantedPools.flatMap((pool) => {
          const questions = ranks.get(`${path} ${set} ${pool}`);
          if (questions === undefined) return [];
          const figures = meanFigures(questions.map(measureRanking));
          return [[pool, { ...figures, k95: measureK95(questions) }]];
        }),
      ),
    ]),
  );
}

function meanOfSets(table: Table): Partial<Record<PoolName, Figures>> {
  return Object.fromEntries(
    wantedPools.flatMap((pool) => {
      const all = Object.values(table).flatMap((set) => set[pool] ?? []);
      return all.length === 0 ? [] : [[pool, meanFigures(all)]];
    }),
  );
}

/**
 * Calibrates on 100 questions of each set, with 100 candidate tools. Returns means over the sets with enough
 * questions.
 */
function keepAll(target: number) {
  const bySet = setNames.flatMap((name) => measureKeeping(keepSamples.get(name) ?? [], target) ?? []);
  const mean = (key: keyof KeepFigures): number =>
    round(bySet.reduce((sum, each) => sum + each[key], 0) / Math.max(1, bySet.length));
  return {
    recall: mean('recall'),
    recall_worst_set: round(Math.min(...bySet.map(({ recall }) => recall))),
    tools_kept: mean('tools'),
    schema_tokens_kept: mean('tokens'),
    sets: bySet.length,
  };
}

/**
 * Compares recall@5 and recall@10 of the semantic method and the baseline, with 100 candidate tools. Returns
 * the number of sets on which the semantic method is better, and the method's largest deficit on any set.
 */
function compareWithBaseline() {
  const differences = setNames.flatMap((set) => {
    const ours = tables.semantic[set]?.[keepPool];
    const theirs = tables.bm25_fielded[set]?.[keepPool];
    if (ours === undefined || theirs === undefined) return [];
    return [{ set, 5: ours['recall@5'] - theirs['recall@5'], 10: ours['recall@10'] - theirs['recall@10'] }];
  });
  return {
    sets: differences.length,
    above_at_5: differences.filter((each) => each[5] > 0).length,
    above_at_10: differences.filter((each) => each[10] > 0).length,
    worst_at_5: round(Math.min(...differences.map((each) => each[5]))),
    worst_at_10: round(Math.min(...differences.map((each) => each[10]))),
  };
}

/**
 * Compares recall@10 for the planner's question with recall@10 for the conversation's first turn. The first
 * turn determines the tool set.
 */
function compareServed() {
  return Object.fromEntries(
    (['25', '100'] as const).map((pool) => [
      pool,
      {
        'recall@10': means.semantic[pool]?.['recall@10'] ?? null,
        'first_turn_recall@10': means.first_turn[pool]?.['recall@10'] ?? null,
      },
    ]),
  );
}

function printServed(): void {
  console.log('\nas served, recall@10 of the newest turn, and of the first turn, which forms the tool set:');
  for (const [pool, figures] of Object.entries(compareServed())) {
    const [newest, first] = Object.values(figures).map((each) => (100 * (each ?? NaN)).toFixed(1));
    console.log(`  pool ${pool}: ${newest}, first turn ${first}`);
  }
  const { first_queries, called, called_in_top_10, empty_turns, caught } = firstTurns.measure();
  console.log(
    `  ${called} of ${first_queries} real first queries say nothing about tools, ${called_in_top_10} of them with a needed tool in the top 10; ${caught} of ${empty_turns} empty turns are recognized`,
  );
}

function printPool(pool: PoolName): void {
  console.log(`\npool ${pool}: recall@5 / recall@10 / nDCG@5 / all@10 / K95, ${pathNames.join(' | ')}`);
  const row = (name: string, figures: readonly (Figures | undefined)[]): void => {
    console.log(`  ${name.padEnd(18)} ${figures.map(printFigures).join(' | ')}`);
  };
  for (const set of setNames) {
    if (tables.semantic[set]?.[pool] !== undefined)
      row(
        set,
        pathNames.map((path) => tables[path][set]?.[pool]),
      );
  }
  row(
    'mean of sets',
    pathNames.map((path) => means[path][pool]),
  );
}

function printFigures(figures: Figures | undefined): string {
  if (figures === undefined) return '-';
  const keys = ['recall@5', 'recall@10', 'ndcg@5', 'all@10'] as const;
  const shares = keys.map((key) => (100 * figures[key]).toFixed(1).padStart(5));
  return [...shares, String(figures.k95 ?? '').padStart(3)].join(' ');
}

function printKeeping(): void {
  console.log(
    '\nkept at a recall target, calibrated on 100 questions of each set, 100 candidates, semantic:',
  );
  for (const [target, figures] of Object.entries(keeping)) {
    console.log(
      `  ${target}: recall ${figures.recall} (worst set ${figures.recall_worst_set}), tools ${figures.tools_kept}, schema tokens ${figures.schema_tokens_kept}`,
    );
  }
}

function pushTo<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}

function quantile(all: readonly number[], share: number): number {
  const sorted = all.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(share * sorted.length)] ?? 0) * 1000) / 1000;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
