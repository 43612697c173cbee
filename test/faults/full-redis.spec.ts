/**
 * Tests Redis servers after one account has filled their memory. The gateway keeps serving other accounts'
 * chat requests, and limits and budgets stay exact. Every request is in the request log after the Redis
 * server has free memory again.
 */
import { startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { Redis } from 'ioredis';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { postChat, type Answer } from '../e2e/http.fixture.ts';
import { plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { query } from './lost-nothing.fixture.ts';

const mebibyte = 1024 * 1024;
const unlimited = { rate_limit_rpm: 1_000_000, daily_token_budget: 1e9, weekly_token_budget: 1e9 };

let stack: StackUnderTest;
let provider: ReplayProvider;
let queue: Redis;
let cache: Redis;
let hostile: { readonly accountId: string; readonly key: string };
let quiet: { readonly accountId: string; readonly apiKey: string };
/** The names of all requests that received a response, by account. */
const answered = new Map<string, Set<string>>();
let sent = 0;
const undo: Undo[] = [];

beforeAll(async () => {
  const edge = { UPSTREAM_RETRIES_MAX: '0', PLAN_DEADLINE_MS: '6000' };
  stack = await startStack({ env: { 'edge-gateway': edge } });
  undo.push(() => stack.stop());
  provider = await startProvider();
  undo.push(() => provider.close());
  provider.setControls(() => plainAnswer);
  queue = new Redis(stack.dev.redis_url);
  cache = new Redis(stack.dev.redis_cache_url);
  undo.push(() => [queue, cache].forEach((redis) => redis.disconnect()));
  quiet = await open();
  const { accountId, apiKey } = await open();
  hostile = {
    accountId,
    key: (await createTestKey(stack.baseUrl, apiKey, { name: 'fills', ...unlimited })).key,
  };
}, 180_000);
afterEach(async () => {
  await queue.del('filler');
  for (const redis of [queue, cache]) await redis.config('SET', 'maxmemory', '0');
});
afterAll(() => undoAll(undo), 120_000);

async function open() {
  const account = await createTestAccount(stack);
  const base_url = `${provider.url}/v1`;
  await connectProvider(stack.baseUrl, account.apiKey, {
    provider: 'openai',
    api_key: 'sk-upstream',
    base_url,
  });
  return account;
}

/** Sends a chat request with a new name, and expects a response with status 200. */
async function ask({ accountId, key }: typeof hostile, more: object = {}): Promise<Answer> {
  const name = `full-${(sent += 1)}`;
  const messages = [{ role: 'user', content: `Create an issue titled "${name}"` }];
  const body = { model: 'openai/gpt-4o-mini', messages, ...more };
  const answer = await postChat(stack.baseUrl, key, body, { 'x-request-id': name });
  expect({ name, status: answer.status, text: answer.text }).toMatchObject({ name, status: 200 });
  const names = answered.get(accountId) ?? new Set();
  answered.set(accountId, names.add(name));
  return answer;
}

async function memoryOf(redis: Redis): Promise<{ used: number; max: number }> {
  const info = await redis.info('memory');
  const read = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return { used: read('used_memory'), max: read('maxmemory') };
}

/** Limits the Redis server's memory to its current use plus the given number of bytes. */
async function limitMemory(redis: Redis, moreBytes: number): Promise<void> {
  await redis.config('SET', 'maxmemory', String((await memoryOf(redis)).used + moreBytes));
}

/** Sets a very low memory limit, so that the Redis server is full even without data. */
async function fill(redis: Redis): Promise<void> {
  await redis.config('SET', 'maxmemory', '1');
}

const isFull = (redis: Redis): Promise<boolean> =>
  redis.set('filler', 'x'.repeat(1_000)).then(
    () => redis.del('filler').then(() => false),
    (error: unknown) => /OOM/.test(String(error)),
  );

/** Waits until the request log contains each answered request exactly once. */
async function expectAllLogged(): Promise<void> {
  for (const [accountId, names] of answered) {
    const read = () =>
      query<{ name: string; status: string }>(
        stack.dev.postgres.telemetry,
        'SELECT client_request_id AS name, status FROM request_log WHERE account_id = $1',
        [accountId],
      );
    await eventually(async () => ((await read()).length >= names.size ? true : undefined), 120_000);
    const rows = await read();
    expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['ok']));
  }
}

it('request events of one account do not fill the queue, so the log is complete after the worker restarts', async () => {
  await stack.service('worker').stop();
  await limitMemory(queue, 4 * mebibyte);
  const { max } = await memoryOf(queue);
  // Usage events of requests with tools are long, because they contain each candidate tool.
  await eventually(async () => {
    await Promise.all(Array.from({ length: 10 }, () => ask(hostile, { tools: githubTools })));
    return stack.logs('edge-gateway').includes('the memory of the queue is nearly full') ? true : undefined;
  }, 120_000);
  const { used } = await memoryOf(queue);
  expect(used).toBeGreaterThan(max * 0.6);
  expect(used).toBeLessThan(max);
  expect(await isFull(queue)).toBe(false);
  await ask({ accountId: quiet.accountId, key: quiet.apiKey });
  // The worker can empty the queue, although the memory of the queue's Redis server is still limited.
  await stack.service('worker').start();
  await expectAllLogged();
}, 300_000);

it('while the queue is full, chats are answered, budgets apply, and the log is completed afterwards', async () => {
  const budget = { ...unlimited, daily_token_budget: 12_000, weekly_token_budget: 12_000 };
  const body = { name: 'budget', k_target_override: 4, ...budget };
  const { key } = await createTestKey(stack.baseUrl, quiet.apiKey, body);
  await fill(queue);
  const answers: Answer[] = [];
  for (let at = 0; at < 6; at += 1)
    answers.push(await ask({ accountId: quiet.accountId, key }, { tools: githubTools }));
  const optimized = answers.filter(({ headers }) => headers['x-svc-budget'] === undefined);
  // The tokens saved in one request use up almost the whole budget of the key.
  expect(optimized.length).toBeGreaterThanOrEqual(1);
  expect(optimized.length).toBeLessThanOrEqual(2);
  expect(answers.at(-1)?.headers['x-svc-budget']).toBe('exhausted');
  expect(await isFull(queue)).toBe(true);
  await queue.config('SET', 'maxmemory', '0');
  await expectAllLogged();
}, 300_000);

it('while the cache is full, chats are answered and rate limits are exact', async () => {
  const { key } = await createTestKey(stack.baseUrl, quiet.apiKey, { name: 'slow', rate_limit_rpm: 5 });
  await cache.config('SET', 'maxmemory-policy', 'noeviction');
  await limitMemory(cache, mebibyte);
  // The gateway stores each conversation's state in the cache's Redis server.
  for (let round = 0; round < 100 && !(await isFull(cache)); round += 1)
    await Promise.all(Array.from({ length: 10 }, () => ask(hostile, { tools: githubTools })));
  await fill(cache);
  expect(await isFull(cache)).toBe(true);
  const messages = [{ role: 'user', content: 'Hello!' }];
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const answer = await postChat(stack.baseUrl, key, { model: 'openai/gpt-4o-mini', messages });
      return answer.status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  await ask({ accountId: hostile.accountId, key: hostile.key }, { tools: githubTools });
}, 300_000);
