import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createMetrics } from '@gateway/observability';
import {
  secondEncoderFiles,
  sentenceFiles,
  smallWords,
  writeFolder,
} from '../inference-threads/small-models.fixture.ts';
import { openRouterShares } from '../shares/router-shares.ts';
import { defineTool, indexTools } from '../tool-index/tools.fixture.ts';
import type { PackedVector } from '../vectors/shared-vectors.port.ts';
import type { SharedVectors } from '../vectors/shared-vectors.port.ts';
import { openRanking, type Ranking, type RankingOptions } from './open-ranking.ts';
import { encodersOf } from './ranker.port.ts';

let directory: string;
let encoderDir: string;
let secondEncoderDir: string;
const opened: Ranking[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'both-'));
  encoderDir = await writeFolder(join(directory, 'first'), sentenceFiles());
  secondEncoderDir = await writeFolder(join(directory, 'second'), secondEncoderFiles());
});
afterAll(async () => {
  for (const ranking of opened) await ranking.close();
  await rm(directory, { recursive: true, force: true });
});

/** Shares vectors between the rankings of this test, as Redis does. */
class SharedMap implements SharedVectors {
  readonly vectors = new Map<string, PackedVector>();

  fetch(modelId: string, _dimensions: number, hashes: readonly string[]): Promise<Map<string, PackedVector>> {
    const found = hashes.flatMap((hash) => {
      const packed = this.vectors.get(`${modelId}:${hash}`);
      return packed === undefined ? [] : [[hash, packed] as const];
    });
    return Promise.resolve(new Map(found));
  }

  store(modelId: string, vectors: ReadonlyMap<string, PackedVector>): Promise<void> {
    for (const [hash, packed] of vectors) this.vectors.set(`${modelId}:${hash}`, packed);
    return Promise.resolve();
  }
}

async function open(options: Partial<RankingOptions> = {}): Promise<Ranking> {
  const metrics = createMetrics('tool-router');
  const ranking = await openRanking({
    ...{ encoderDir, secondEncoderDir, rerankerDir: null, threads: 1, budgetMs: 50_000 },
    logger: createLogger({ service: 'tool-router', instanceId: 'one', level: 'silent' }),
    ...{ metrics, shares: openRouterShares(metrics), shared: new SharedMap(), onForgotten: () => undefined },
    ...options,
  });
  opened.push(ranking);
  return ranking;
}

const tools = smallWords.flatMap((verb) => smallWords.map((noun) => defineTool(`${verb}_${noun}`)));
const index = indexTools(tools);
const question = { turns: ['please forecast the weather'], at: 0 };

/** Waits until all vectors of the second encoder are computed. */
async function settle({ secondVectors }: Ranking): Promise<void> {
  const giveUpAt = Date.now() + 50_000;
  // The tools are looked up in the shared store before they wait for the second encoder.
  do await new Promise((resolve) => setTimeout(resolve, 5));
  while ((secondVectors?.pending ?? 0) > 0 && Date.now() < giveUpAt);
}

describe('the encoders of a conversation', () => {
  it('are the first encoder for a new list, and both encoders after the background has encoded the tools', async () => {
    const ranking = await open();
    const { ranker, learn, chooseEncoders } = ranking;
    learn(tools);
    expect(await chooseEncoders(index)).toBe('first');
    const first = await ranker.rank(index, question);
    expect(first.rankedBy).toMatch(/^semantic\.1\.[0-9a-f]{16}$/);
    await settle(ranking);
    expect(await chooseEncoders(index)).toBe('both');
    const both = await ranker.rank(index, question, { encoders: 'both' });
    expect(both).toMatchObject({ method: 'semantic', methodReason: 'semantic' });
    expect(both.rankedBy).toMatch(/^semantic\.2\.[0-9a-f]{16}\.[0-9a-f]{16}\.[0-9a-f]{16}$/);
    expect(both.scores).not.toEqual(first.scores);
    const best = Array.from(both.order.subarray(0, 2), (position) => index.names[position]);
    expect(best.toSorted()).toEqual(['forecast_weather', 'weather_forecast']);
    // A conversation that started with the first encoder keeps using it.
    expect(await ranker.rank(index, question)).toEqual(first);
  }, 60_000);

  it('are both encoders on a replica that finds all vectors in the shared store, without computing one', async () => {
    const shared = new SharedMap();
    const one = await open({ shared });
    one.learn(tools);
    await settle(one);
    const made = await one.ranker.rank(index, question, { encoders: 'both' });
    const other = await open({ shared });
    // The first encoder's vectors are also loaded from the shared store.
    expect(await other.chooseEncoders(index)).toBe('both');
    expect(await other.ranker.rank(index, question, { encoders: 'both' })).toEqual(made);
    expect(other.secondVectors?.pending).toBe(0);
  }, 60_000);

  it('are the first encoder in the report if the second encoder has no vectors, and the fallback is not kept', async () => {
    const forgotten: string[] = [];
    const ranking = await open({ onForgotten: (listHash) => forgotten.push(listHash) });
    ranking.vectors.prepare(tools);
    const fallback = await ranking.ranker.rank(index, question, { encoders: 'both' });
    expect(encodersOf(fallback.rankedBy)).toBe('first');
    expect(forgotten).toEqual([index.listHash]);
    ranking.learn(tools);
    await settle(ranking);
    const both = await ranking.ranker.rank(index, question, { encoders: 'both' });
    expect(encodersOf(both.rankedBy)).toBe('both');
  }, 60_000);

  it.each([
    ['no second encoder', null],
    ['a second encoder without a second stage', 'first'],
    ['a second encoder with a corrupt model', 'corrupt'],
  ])(
    'are the first encoder with %s',
    async (_, name) => {
      const corrupt = await writeFolder(join(directory, 'corrupt'), secondEncoderFiles());
      await writeFile(join(corrupt, 'model.onnx'), 'no model');
      const ranking = await open({ secondEncoderDir: name === null ? null : join(directory, name) });
      ranking.learn(tools);
      await settle(ranking);
      expect(await ranking.chooseEncoders(index)).toBe('first');
      const { methodReason, rankedBy } = await ranking.ranker.rank(index, question, { encoders: 'both' });
      expect([methodReason, encodersOf(rankedBy)]).toEqual(['semantic', 'first']);
    },
    60_000,
  );
});
