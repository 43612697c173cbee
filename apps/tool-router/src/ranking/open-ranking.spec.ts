import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createMetrics } from '@gateway/observability';
import {
  crossFiles,
  sentenceFiles,
  smallWords,
  writeFolder,
} from '../inference-threads/small-models.fixture.ts';
import { openRouterShares } from '../shares/router-shares.ts';
import { defineTool, indexTools } from '../tool-index/tools.fixture.ts';
import { noSharedVectors } from '../vectors/shared-vectors.port.ts';
import { openRanking, type Ranking, type RankingOptions } from './open-ranking.ts';

let directory: string;
let encoderDir: string;
let crossDir: string;
/** Most tests share this ranking, because inference threads start slowly on a busy machine. */
let shared: Ranking;
const opened: Ranking[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ranking-'));
  encoderDir = await writeFolder(join(directory, 'sentence'), sentenceFiles());
  crossDir = await writeFolder(join(directory, 'cross'), crossFiles());
  shared = await open();
}, 60_000);
afterAll(async () => {
  for (const ranking of opened) await ranking.close();
  await rm(directory, { recursive: true, force: true });
});

const forgotten: string[] = [];
async function open(options: Partial<RankingOptions> = {}): Promise<Ranking> {
  const metrics = createMetrics('tool-router');
  const ranking = await openRanking({
    encoderDir,
    secondEncoderDir: null,
    rerankerDir: null,
    threads: 1,
    budgetMs: 50_000,
    shared: noSharedVectors,
    logger: createLogger({ service: 'tool-router', instanceId: 'one', level: 'silent' }),
    metrics,
    shares: openRouterShares(metrics),
    onForgotten: (listHash) => forgotten.push(listHash),
    ...options,
  });
  opened.push(ranking);
  return ranking;
}

/**
 * One tool for every pair of words in the small model's vocabulary. The parameter `as` distinguishes tools
 * with equal names.
 */
const makeTools = (as: string) =>
  smallWords.flatMap((verb) => smallWords.map((noun) => defineTool(`${verb}_${noun}`, as)));
const question = { turns: ['please forecast the weather'], at: 0 };
const bestOf = (ranking: { order: Uint32Array }, list: { names: readonly (string | null)[] }) =>
  Array.from(ranking.order.subarray(0, 2), (position) => list.names[position]).toSorted();

/** Waits until the vectors for all tools are computed. */
async function settle({ vectors }: Ranking): Promise<void> {
  const giveUpAt = Date.now() + 50_000;
  while (vectors.pending > 0 && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('vector ranking', () => {
  it('gives each tool a probability, orders the nearest tool first, and reports the method and models', async () => {
    const tools = makeTools('one');
    const index = indexTools(tools);
    shared.learn(tools);
    const ranking = await shared.ranker.rank(index, question);
    expect(ranking).toMatchObject({ method: 'semantic', methodReason: 'semantic' });
    expect(ranking.rankedBy).toMatch(/^semantic\.1\.[0-9a-f]{16}$/);
    expect(bestOf(ranking, index)).toEqual(['forecast_weather', 'weather_forecast']);
    expect(ranking.order).toHaveLength(tools.length);
    expect(ranking.scores.reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 6);
    expect(ranking.confidence).toBe(ranking.scores[ranking.order[0] ?? -1]);
  });

  it('gives each tool the same score regardless of list order', async () => {
    const tools = makeTools('two');
    const [index, other] = [indexTools(tools), indexTools(tools.toReversed())];
    shared.learn(tools);
    const [one, reversed] = await Promise.all([
      shared.ranker.rank(index, question),
      shared.ranker.rank(other, question),
    ]);
    expect(one.method).toBe('semantic');
    expect(Array.from(reversed.scores).toReversed()).toEqual(Array.from(one.scores));
    expect(Array.from(reversed.order, (at) => other.names[at])).toEqual(
      Array.from(one.order, (at) => index.names[at]),
    );
  });

  it('reorders the top tools with a cross-encoder', async () => {
    const tools = makeTools('three');
    const index = indexTools(tools);
    const { ranker, learn } = await open({ rerankerDir: crossDir });
    learn(tools);
    const ranking = await ranker.rank(index, { turns: ['weather mail'], at: 0 });
    expect(index.names[ranking.order[0] ?? -1]).toMatch(/forecast/);
    expect(ranking.rankedBy.split('.')).toHaveLength(4);
  }, 60_000);
});

describe('vector ranking falls back to keyword ranking', () => {
  it.each(['no folder', 'a folder with nothing of use'])(
    'if the model is unavailable: %s',
    async (what) => {
      const tools = makeTools('four');
      const index = indexTools(tools);
      const { ranker, learn } = await open({
        encoderDir: what === 'no folder' ? join(directory, 'none') : directory,
      });
      learn(tools);
      const ranking = await ranker.rank(index, question);
      expect(ranking).toMatchObject({ method: 'keyword', methodReason: 'no_model' });
      expect(bestOf(ranking, index)).toEqual(['forecast_weather', 'weather_forecast']);
    },
    60_000,
  );

  it('after the deadline, for short lists and on request', async () => {
    const tools = makeTools('five');
    const index = indexTools(tools);
    const { ranker, learn } = shared;
    learn(tools);
    const late = await ranker.rank(index, question, { deadlineAt: performance.now() - 1 });
    expect(late).toMatchObject({ method: 'keyword', methodReason: 'late' });
    const asked = await ranker.rank(index, question, { method: 'keyword' });
    expect(asked).toMatchObject({ method: 'keyword', methodReason: 'asked' });
    const short = await ranker.rank(indexTools(tools.slice(0, 8)), question);
    expect(short).toMatchObject({ method: 'keyword', methodReason: 'short_list' });
  });

  it('immediately for more than 250 new tools, and computes their vectors afterwards', async () => {
    const { ranker, learn, vectors } = shared;
    const many = Array.from({ length: 300 }, (_, at) => defineTool(`create_issue_${at}`, 'weather'));
    const list = indexTools(many);
    await settle(shared);
    const before = vectors.size;
    learn(many);
    const first = await ranker.rank(list, question);
    expect(first).toMatchObject({ method: 'keyword', methodReason: 'new_tools' });
    await settle(shared);
    expect(vectors.size).toBe(before + 300);
    expect(await ranker.rank(list, question)).toMatchObject({ method: 'semantic' });
  }, 60_000);

  it('for tools without a stored vector, and requests their definitions only once', async () => {
    const tools = makeTools('six');
    const index = indexTools(tools);
    const { ranker, learn } = shared;
    forgotten.length = 0;
    for (let time = 0; time < 3; time += 1) {
      expect(await ranker.rank(index, question)).toMatchObject({ methodReason: 'new_tools' });
    }
    expect(forgotten).toEqual([index.listHash]);
    learn(tools);
    expect(await ranker.rank(index, question)).toMatchObject({ method: 'semantic' });
  });
});
