import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createMetrics } from '@gateway/observability';
import { crossFiles, sentenceFiles, smallWords, writeFolder } from '../encoder/small-models.fixture.ts';
import { defineTool, indexTools } from '../plan-tools/tools.fixture.ts';
import { noSharedVectors } from '../vectors/shared-vectors.port.ts';
import { openRanking, type Ranking, type RankingOptions } from './open-ranking.ts';

let directory: string;
let encoderDir: string;
let crossDir: string;
const opened: Ranking[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ranking-'));
  encoderDir = await writeFolder(join(directory, 'sentence'), sentenceFiles());
  crossDir = await writeFolder(join(directory, 'cross'), crossFiles());
});
afterEach(async () => {
  for (const ranking of opened.splice(0)) await ranking.close();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const forgotten: string[] = [];
async function open(options: Partial<RankingOptions> = {}): Promise<Ranking> {
  const ranking = await openRanking({
    encoderDir,
    rerankerDir: null,
    threads: 1,
    budgetMs: 10_000,
    shared: noSharedVectors,
    logger: createLogger({ service: 'tool-router', instanceId: 'one', level: 'silent' }),
    metrics: createMetrics('tool-router'),
    onForgotten: (listHash) => forgotten.push(listHash),
    ...options,
  });
  opened.push(ranking);
  return ranking;
}

/** Every pair of words that the small model knows. */
const tools = smallWords.flatMap((verb) => smallWords.map((noun) => defineTool(`${verb}_${noun}`)));
const index = indexTools(tools);
const question = { turns: ['please forecast the weather'], at: 0 };
const bestOf = (ranking: { order: Uint32Array }, list = index): (string | null | undefined)[] =>
  Array.from(ranking.order.subarray(0, 2), (position) => list.names[position]).toSorted();

async function eventually<Value>(read: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('ranking by vectors', () => {
  it('scores every tool with a probability, the nearest first, and says how and by what', async () => {
    const { ranker, learn } = await open();
    learn(tools);
    const ranking = await ranker.rank(index, question);
    expect(ranking).toMatchObject({ method: 'semantic', laneReason: 'semantic' });
    expect(ranking.rankedBy).toMatch(/^semantic\.1\.[0-9a-f]{16}$/);
    expect(bestOf(ranking)).toEqual(['forecast_weather', 'weather_forecast']);
    expect(ranking.order).toHaveLength(tools.length);
    expect(ranking.scores.reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 6);
    expect(ranking.confidence).toBe(ranking.scores[ranking.order[0] ?? -1]);
  });

  it('gives each tool the same score in whatever order they came', async () => {
    const { ranker, learn } = await open();
    learn(tools);
    const other = indexTools(tools.toReversed());
    const [one, reversed] = await Promise.all([ranker.rank(index, question), ranker.rank(other, question)]);
    expect(Array.from(reversed.scores).toReversed()).toEqual(Array.from(one.scores));
    expect(Array.from(reversed.order, (at) => other.names[at])).toEqual(
      Array.from(one.order, (at) => index.names[at]),
    );
  });

  it('lets a cross-encoder put the first ones in order', async () => {
    const { ranker, learn } = await open({ rerankerDir: crossDir });
    learn(tools);
    const asked = { turns: ['weather mail'], at: 0 };
    const ranking = await ranker.rank(index, asked);
    expect(index.names[ranking.order[0] ?? -1]).toMatch(/forecast/);
    expect(ranking.rankedBy.split('.')).toHaveLength(4);
  });
});

describe('the keyword ranking takes the place of one by vectors', () => {
  it.each(['no folder', 'a folder with nothing of use'])('without a model: %s', async (what) => {
    const { ranker, learn } = await open({
      encoderDir: what === 'no folder' ? join(directory, 'none') : directory,
    });
    learn(tools);
    const ranking = await ranker.rank(index, question);
    expect(ranking).toMatchObject({ method: 'keyword', laneReason: 'no_model' });
    expect(bestOf(ranking)).toEqual(['forecast_weather', 'weather_forecast']);
  });

  it('past the deadline, and for short lists, and where it is asked for', async () => {
    const { ranker, learn } = await open();
    learn(tools);
    const late = await ranker.rank(index, question, { deadlineAt: performance.now() - 1 });
    expect(late).toMatchObject({ method: 'keyword', laneReason: 'late' });
    const asked = await ranker.rank(index, question, { lane: 'keyword' });
    expect(asked).toMatchObject({ method: 'keyword', laneReason: 'asked' });
    const short = await ranker.rank(indexTools(tools.slice(0, 8)), question);
    expect(short).toMatchObject({ method: 'keyword', laneReason: 'short_list' });
  });

  it('at once for a list with more than 250 new tools, whose vectors are made after it', async () => {
    const { ranker, learn, vectors } = await open();
    const many = Array.from({ length: 300 }, (_, at) => defineTool(`create_issue_${at}`, 'weather'));
    const list = indexTools(many);
    learn(many);
    const first = await ranker.rank(list, question);
    expect(first).toMatchObject({ method: 'keyword', laneReason: 'new_tools' });
    await eventually(() => Promise.resolve(vectors.pending === 0 ? true : undefined));
    expect(vectors.size).toBe(300);
    expect(await ranker.rank(list, question)).toMatchObject({ method: 'semantic' });
  });

  it('for tools whose vector nobody has, and their definitions are asked for again, once', async () => {
    const { ranker, learn } = await open();
    forgotten.length = 0;
    for (let time = 0; time < 3; time += 1) {
      expect(await ranker.rank(index, question)).toMatchObject({ laneReason: 'new_tools' });
    }
    expect(forgotten).toEqual([index.listHash]);
    learn(tools);
    expect(await ranker.rank(index, question)).toMatchObject({ method: 'semantic' });
  });
});
