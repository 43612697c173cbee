// How well the keyword path ranks the tools that a question needs: `npm run eval:tools -- --data DIR`.
// Prints a table a pool size, then one line of JSON.
import { parseArgs } from 'node:util';
import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { indexToolList } from '../../apps/tool-router/src/ranking/tool-list-index.ts';
import { meanFigures, measureRanking, type RankingFigures } from './ranking-figures.ts';
import { itemAt, loadToolData, poolSizes, type PoolSize, type Question, type ToolData } from './tool-data.ts';

const paths = ['last_turn', 'keyword'] as const;
/** `last_turn`: fielded BM25 on the last user message alone. `keyword`: what the router does, with gated context. */
type Path = (typeof paths)[number];
type Table = Record<Path, Record<string, Record<string, RankingFigures>>>;

const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data/tools' } } });
const data = loadToolData(values.data);
const timings: number[] = [];
const sets = Object.fromEntries(paths.map((path) => [path, measureSets(path)])) as Table;
const means = Object.fromEntries(paths.map((path) => [path, meanOfSets(sets[path])]));
for (const size of poolSizes) printPool(size);
timings.sort((one, other) => one - other);
console.log(
  JSON.stringify({
    mean: means['keyword'],
    sets: sets.keyword,
    last_turn: { mean: means['last_turn'], sets: sets.last_turn },
    ms: { rank_p50: quantile(0.5), rank_p99: quantile(0.99) },
  }),
);

function measureSets(path: Path): Record<string, Record<string, RankingFigures>> {
  const bySet = new Map<string, Record<string, RankingFigures[]>>();
  for (const question of data.questions) {
    for (const size of poolSizes) {
      const ranks = rankGolds(data, question, size, path);
      if (ranks === undefined) continue;
      const set = bySet.get(question.dataset) ?? {};
      (set[size] ??= []).push(measureRanking(ranks));
      bySet.set(question.dataset, set);
    }
  }
  return mapValues(Object.fromEntries(bySet), (set) => mapValues(set, meanFigures));
}

function rankGolds(
  { cards }: ToolData,
  { userTurns, golds, pools }: Question,
  size: PoolSize,
  path: Path,
): number[] | undefined {
  const pool = pools[size];
  if (pool === undefined) return undefined;
  const index = indexToolList(
    '',
    pool.map((line) => itemAt(cards, line)),
  );
  const turns = path === 'keyword' ? userTurns : userTurns.slice(-1);
  const startedAt = performance.now();
  const { order } = keywordRanker.rank(index, { turns, at: turns.length - 1 });
  if (path === 'keyword') timings.push(performance.now() - startedAt);
  const ranks = new Map(Array.from(order, (position, rank) => [pool[position], rank]));
  return golds.map((lines) => Math.min(...lines.map((line) => ranks.get(line) ?? Infinity)));
}

function meanOfSets(
  table: Record<string, Record<string, RankingFigures>>,
): Partial<Record<PoolSize, RankingFigures>> {
  const all = Object.values(table);
  return Object.fromEntries(
    poolSizes.map((size) => [size, meanFigures(all.flatMap((set) => set[size] ?? []))]),
  );
}

function printPool(size: PoolSize): void {
  console.log(`\npool ${size}: recall@5 / recall@10 / nDCG@5 / all@10, last turn alone | with gated context`);
  const row = (name: string, one?: RankingFigures, other?: RankingFigures): void =>
    console.log(`  ${name.padEnd(18)} ${printFigures(one)} | ${printFigures(other)}`);
  for (const set of Object.keys(sets.keyword)) {
    row(set, sets.last_turn[set]?.[size], sets.keyword[set]?.[size]);
  }
  row('mean of sets', means['last_turn']?.[size], means['keyword']?.[size]);
}

function printFigures(figures: RankingFigures | undefined): string {
  if (figures === undefined) return '-';
  const keys = ['recall@5', 'recall@10', 'ndcg@5', 'all@10'] as const;
  return keys.map((key) => (100 * figures[key]).toFixed(1).padStart(5)).join(' ');
}

function quantile(share: number): number {
  return Math.round((timings[Math.floor(share * timings.length)] ?? 0) * 1000) / 1000;
}

function mapValues<In, Out>(table: Record<string, In>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, map(value)]));
}
