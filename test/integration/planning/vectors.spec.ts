import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ToolDefinition } from '@gateway/contracts';
import { AccountCache } from '@gateway/messaging';
import { createLogger, createMetrics } from '@gateway/observability';
import { findFreePort, startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { openRanking, type Ranking } from '../../../apps/tool-router/src/ranking/open-ranking.ts';
import { openRouterShares } from '../../../apps/tool-router/src/shares/router-shares.ts';
import { makeToolCard } from '../../../apps/tool-router/src/tool-index/tool-card.ts';
import { indexToolList } from '../../../apps/tool-router/src/tool-index/keyword-index.ts';
import {
  connectVectorRedis,
  RedisVectors,
} from '../../../apps/tool-router/src/vectors/redis-vectors.adapter.ts';
import { eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let redis: Redis;
const log = createLogger({ service: 'test', instanceId: 'test', level: 'silent' });
const models = join(import.meta.dirname, '../../../models');
const question = { turns: ['send the customer an invoice for the order'], at: 0 };
const unhurriedMs = 20_000;

beforeAll(async () => {
  stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
  redis = new Redis(stack.dev.redis_cache_url);
  undo.push(() => redis.disconnect());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

function defineTools(word: string): ToolDefinition[] {
  return ['send_invoice', 'delete_order', 'list_customers', 'create_ticket', 'merge_branch'].flatMap((name) =>
    [1, 2, 3].map((version) => {
      const description = `${word}: ${name.replace('_', ' ')}, version ${version}`;
      const hash = createHash('sha256').update(`${name}${description}`).digest('hex');
      return { hash, name: `${name}_v${version}`, description, parameters: null, examples: [] };
    }),
  );
}

const openCache = (redis: Redis) =>
  new AccountCache(redis, {
    purpose: 'vectors',
    bytesPerDayMax: 1 << 30,
    onRefused: () => undefined,
  });

async function startReplica(url = stack.dev.redis_cache_url) {
  const connection = connectVectorRedis(url, log, unhurriedMs);
  undo.push(() => connection.disconnect());
  if (url === stack.dev.redis_cache_url)
    await eventually(() => (connection.status === 'ready' ? true : undefined));
  const metrics = createMetrics('tool-router');
  const ranking: Ranking = await openRanking({
    encoderDir: join(models, 'encoder'),
    secondEncoderDir: null,
    rerankerDir: join(models, 'reranker'),
    threads: 1,
    budgetMs: unhurriedMs,
    shares: openRouterShares(metrics),
    shared: new RedisVectors(connection, openCache(connection), log),
    logger: log,
    metrics,
    onForgotten: () => undefined,
  });
  undo.push(() => ranking.close());
  const countOf = async (source: string): Promise<number> => {
    const { values } = await metrics.registry.getSingleMetric('tool_router_vectors_total')!.get();
    return values.find(({ labels }) => labels['source'] === source)?.value ?? 0;
  };
  return { ranking, countOf };
}

const indexOf = (tools: readonly ToolDefinition[]) =>
  indexToolList(tools[0]?.hash ?? '', tools.map(makeToolCard));

it('a replica ranks with vectors from another replica, gets the same scores, and computes no vectors', async () => {
  const tools = defineTools('shared');
  const first = await startReplica();
  first.ranking.learn(tools);
  const made = await first.ranking.ranker.rank(indexOf(tools), question);
  expect(made.method).toBe('semantic');
  await eventually(async () => ((await redis.keys('tool-vector:*')).length === 15 ? true : undefined));
  const second = await startReplica();
  const told = await second.ranking.ranker.rank(indexOf(tools), question);
  expect(told).toEqual(made);
  expect([await second.countOf('shared'), await second.countOf('made')]).toEqual([15, 0]);
});

it('vectors are shared under hashes of model and definition, expire, and reveal no definition', async () => {
  for (const key of await redis.keys('tool-vector:*')) {
    expect(key).toMatch(/^tool-vector:[0-9a-f]{16}:[0-9a-f]{64}$/);
    expect((await redis.getBuffer(key))?.length).toBe(4 + 256);
    expect(await redis.ttl(key)).toBeGreaterThan(0);
  }
});

it('an invalid vector is rejected', async () => {
  const tools = defineTools('spoiled');
  const first = await startReplica();
  first.ranking.learn(tools);
  await first.ranking.ranker.rank(indexOf(tools), question);
  const keys = await eventually(async () => {
    const all = await redis.keys('tool-vector:*');
    return all.length === 30 ? all : undefined;
  });
  await Promise.all(keys.map((key) => redis.set(key, 'something else')));
  const second = await startReplica();
  expect(await second.ranking.ranker.rank(indexOf(tools), question)).toMatchObject({
    method: 'keyword',
    methodReason: 'new_tools',
  });
  second.ranking.learn(tools);
  expect((await second.ranking.ranker.rank(indexOf(tools), question)).method).toBe('semantic');
});

it('without Redis, vectors are computed and kept in memory', async () => {
  const tools = defineTools('alone');
  const alone = await startReplica(`redis://127.0.0.1:${await findFreePort()}`);
  alone.ranking.learn(tools);
  expect((await alone.ranking.ranker.rank(indexOf(tools), question)).method).toBe('semantic');
  expect(await alone.countOf('made')).toBe(15);
});
