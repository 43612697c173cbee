// What the tiny encoder's cosine would add to the keyword ranking, set by set equally weighed, 100 candidates:
// `node training/tiny-encoder/measure-tiny-encoder.ts [--data DIR]`. The card quotes its output.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OnnxEncoder } from '../../apps/tool-router/src/encoder/onnx-encoder.adapter.ts';
import { orderByScore, scoreByKeyword } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { indexToolList } from '../../apps/tool-router/src/ranking/tool-list-index.ts';
import { makeTurnQuery } from '../../apps/tool-router/src/ranking/turn-query.ts';
import { meanFigures, measureRanking, type RankingFigures } from '../../test/eval/ranking-figures.ts';
import { itemAt, loadToolData, type Question } from '../../test/eval/tool-data.ts';

const batchSize = 32;
/** How a tool's keyword score and cosine make its score; `top` is the list's best keyword score. */
const mixes: Record<string, (score: number, cosine: number, top: number) => number> = {
  'keyword alone': (score) => score,
  'cosine alone': (_, cosine) => cosine,
  'cosine breaks ties': (score, cosine) => score + 1e-6 * cosine,
  'keyword + 0.1 top × cosine': (score, cosine, top) => score + 0.1 * top * cosine,
  'keyword + 0.3 top × cosine': (score, cosine, top) => score + 0.3 * top * cosine,
};

const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data/tools' } } });
const data = loadToolData(values.data);
const encoder = await OnnxEncoder.open(join(import.meta.dirname, '../../models/tiny'), { threads: 1 });
const startedAt = performance.now();
const toolVectors = await encodeAll(data.texts);
console.log(`${((performance.now() - startedAt) / data.texts.length).toFixed(3)} ms a tool`);
const turnVectors = await encodeAll(data.questions.map(({ userTurns }) => userTurns.at(-1) ?? ''));

for (const [name, mix] of Object.entries(mixes)) {
  const bySet = new Map<string, RankingFigures[]>();
  data.questions.forEach((question, at) => {
    const figures = measureRanking(rankGolds(question, itemAt(turnVectors, at), mix));
    bySet.set(question.dataset, [...(bySet.get(question.dataset) ?? []), figures]);
  });
  const mean = meanFigures([...bySet.values()].map(meanFigures));
  console.log(
    `${name.padEnd(28)} recall@5 ${percent(mean['recall@5'])}  recall@10 ${percent(mean['recall@10'])}`,
  );
}

async function encodeAll(texts: readonly string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += batchSize) {
    vectors.push(...(await encoder.encode(texts.slice(at, at + batchSize))));
  }
  return vectors;
}

function rankGolds(
  { pools, userTurns, golds }: Question,
  turn: Float32Array,
  mix: (score: number, cosine: number, top: number) => number,
): number[] {
  const pool = pools[100] ?? [];
  const index = indexToolList(
    '',
    pool.map((line) => itemAt(data.cards, line)),
  );
  const keyword = scoreByKeyword(index, makeTurnQuery(userTurns, userTurns.length - 1));
  const top = keyword.reduce((best, score) => Math.max(best, score), 1e-9);
  const mixed = keyword.map((score, at) => mix(score, dot(turn, itemAt(toolVectors, itemAt(pool, at))), top));
  const order = orderByScore(index, mixed);
  const ranks = new Map(Array.from(order, (position, rank) => [pool[position], rank]));
  return golds.map((lines) => Math.min(...lines.map((line) => ranks.get(line) ?? Infinity)));
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

function percent(value: number): string {
  return (100 * value).toFixed(1);
}
