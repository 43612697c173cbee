import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { Redis } from 'ioredis';
import { request } from 'node:http';
import { untilSettled } from '../integration/limits/replicas.fixture.ts';
import { untilDayLasts } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { call, hello, onceEffective } from './governance.fixture.ts';
import { postChat, send, type Answer } from './http.fixture.ts';
import { whileCountedTogether } from './limits.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const edges = [stack.baseUrl, edgeUrl(stack, 'tight'), edgeUrl(stack, 'closed')];
const edgeOf = (at: number) => edges[at % edges.length]!;
let account: TestAccount;
let redis: Redis;

beforeAll(async () => {
  account = await createTestAccount(stack);
  redis = new Redis(stack.dev.redis_url);
});
afterAll(() => redis.disconnect());

describe('requests per minute', () => {
  it(
    '3 replicas together admit 200 of 2,000 burst requests for a key limited to 200 requests per minute',
    () =>
      whileCountedTogether(async () => {
        const rpm = 200;
        const { key } = await createTestKey(stack.baseUrl, account.apiKey, {
          name: 'rpm',
          rate_limit_rpm: rpm,
        });
        const startedAt = Date.now();
        const statuses: number[] = [];
        const headers: boolean[] = [];
        for (let burst = 0; burst < 20; burst++) {
          const answers = await Promise.all(
            Array.from({ length: 100 }, (_, at) => chatByFetch(edgeOf(at), key)),
          );
          statuses.push(...answers.map(({ status }) => status));
          headers.push(
            ...answers.map((answer) => answer.headers.get('x-ratelimit-limit-requests') === `${rpm}`),
          );
        }
        const admitted = statuses.filter((status) => status !== 429).length;
        expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(rpm / 2);
        // A one-minute sliding window admits no further requests until the first minute has passed.
        expect(Date.now() - startedAt).toBeLessThan(60_000);
        expect(admitted).toBeGreaterThanOrEqual(rpm * 0.99);
        expect(admitted).toBeLessThanOrEqual(rpm * 1.01);
        expect(headers).not.toContain(false);
      }),
    240_000,
  );

  it(
    'requests on routes that call no model also count against the limit on requests per minute',
    () =>
      whileCountedTogether(async () => {
        const body = { name: 'light', rate_limit_rpm: 2 };
        const { key } = await createTestKey(stack.baseUrl, account.apiKey, body);
        const count = { ...hello, max_tokens: 1 };
        const paths = ['/v1/models', '/v1/messages/count_tokens', '/v1/models/sandbox/sandbox-1'];
        const answers: Answer[] = [];
        for (const path of paths) {
          const sent = path.endsWith('count_tokens') ? { path, key, body: count } : { path, key };
          answers.push(await send(stack.baseUrl, sent));
        }
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
        const remaining = answers.map(({ headers }) => headers['x-ratelimit-remaining-requests']);
        expect(remaining).toEqual(['1', '0', '0']);
        expectError(answers[2]!, { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' });
      }),
    60_000,
  );

  /**
   * Sends requests over persistent connections, because opening 2,000 connections would take most of the
   * test's time.
   */
  async function chatByFetch(edge: string, key: string): Promise<Response> {
    const answer = await fetch(`${edge}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello),
    });
    await answer.arrayBuffer();
    return answer;
  }
});

describe('budgets for saved tokens', () => {
  let provider: ReplayProvider;
  beforeAll(async () => {
    await untilDayLasts(90_000);
    provider = await startProvider();
    provider.setControls(plainAnswer);
    const base_url = `${provider.url}/v1`;
    await connectProvider(stack.baseUrl, account.apiKey, {
      provider: 'openai',
      api_key: 'sk-upstream-0123456789abcdef',
      base_url,
    });
  }, 180_000);
  afterAll(() => provider.close());

  const question = 'Create an issue titled "Limits" in octo/hello';
  const withTools = {
    model: 'sandbox/sandbox-1',
    messages: [{ role: 'user', content: question }],
    tools: githubTools,
  };
  /** The longest tool list that the edge `tight` accepts. */
  const withFewerTools = { ...withTools, tools: githubTools.slice(0, 40) };
  const savedBy = (row: { estimated_tokens_saved: number; compression_tokens_saved: number }) =>
    row.estimated_tokens_saved + row.compression_tokens_saved;
  const rowOf = (answer: Answer) => waitForRow(stack.baseUrl, account.apiKey, requestIdOf(answer));
  const budgetKey = (daily_token_budget: number) =>
    createTestKey(stack.baseUrl, account.apiKey, {
      name: 'budget',
      rate_limit_rpm: 100_000,
      daily_token_budget,
    });

  /**
   * A daily budget of saved tokens. The budget is so small that an edge reserves tokens only for single
   * requests, and never in advance.
   */
  const smallBudget = 150_000;

  /** Waits until no budget is reserved, and returns the tokens used today. */
  const readSettled = async (keyId: string) =>
    (await untilSettled(redis, { accountId: account.accountId, keyId })).today;

  it('with an exhausted budget, requests are forwarded unchanged and marked, and the excess is at most one request', async () => {
    const budget = 30_000;
    const { key, id } = await budgetKey(budget);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => postChat(edges[at % 2]!, key, withFewerTools)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const rows = await Promise.all(answers.map(rowOf));
    const spent = rows.reduce((sum, row) => sum + savedBy(row), 0);
    const one = Math.max(...rows.map(savedBy));
    expect(spent).toBeGreaterThan(budget - one);
    expect(spent).toBeLessThanOrEqual(budget + one);
    expect(await readSettled(id)).toBe(spent);

    const passed = answers.findIndex(({ headers }) => headers['x-svc-budget'] === 'exhausted');
    expect(answers[passed]!.headers).toMatchObject({ 'x-svc-prune-ratio': '40/40' });
    expect(answers[passed]!.headers).not.toHaveProperty('x-svc-routing');
    expect(rows[passed]).toMatchObject({
      status: 'ok',
      k_reason: 'budget_exhausted',
      lane: 'untouched',
      tools_out: 40,
      estimated_tokens_saved: 0,
      compression_tokens_saved: 0,
    });
  });

  it('requests without tools consume no budget for saved tokens', async () => {
    const { key, id } = await budgetKey(0);
    const answer = await postChat(stack.baseUrl, key, hello);
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('x-svc-budget');
    expect(await redis.exists(`budget:{${account.accountId}}:${id}`)).toBe(0);
  });

  it('an account can choose to have requests rejected after the budget is exhausted', async () => {
    const own = await createTestAccount(stack);
    const body = { name: 'strict', daily_token_budget: 0 };
    const { key } = await createTestKey(stack.baseUrl, own.apiKey, body);
    const path = '/v1/account/routing/preferences';
    await call(200, { method: 'PUT', path, key: own.apiKey, body: { on_budget_exhausted: 'reject' } });
    const code = 'saved_token_budget_exhausted';
    const refused = await onceEffective(async () => {
      const answer = await postChat(stack.baseUrl, key, withTools);
      expectError(answer, { status: 402, type: 'billing_error', code });
      return answer;
    });
    const native = await send(stack.baseUrl, {
      path: '/v1/messages',
      key,
      headers: { 'anthropic-version': '2023-06-01' },
      body: {
        model: 'sandbox/sandbox-1',
        max_tokens: 10,
        messages: [{ role: 'user', content: question }],
        tools: githubTools.map(({ function: { name, description, parameters } }) => ({
          name,
          description,
          input_schema: parameters,
        })),
      },
    });
    expect(native.status).toBe(402);
    expect(native.json()).toMatchObject({ type: 'error', error: { type: 'billing_error' } });
    expect((await postChat(stack.baseUrl, key, hello)).status).toBe(200);
    const row = await waitForRow(stack.baseUrl, own.apiKey, requestIdOf(refused));
    expect(row).toMatchObject({ status: 'error', http_status: 402, error_code: code });
  });

  it('requests that clients cancel leave no reservation and use no budget', async () => {
    const { key, id } = await budgetKey(smallBudget);
    // Even on a slow machine, the last client cancels its request before this delay ends.
    provider.setControls({ ...plainAnswer, firstByteDelayMs: 6_000 });
    const body = JSON.stringify({ ...withTools, model: 'openai/gpt-4o-mini' });
    for (const afterMs of [1, 5, 10, 20, 40, 80, 150, 300, 600, 1_000])
      await Promise.all(Array.from({ length: 10 }, () => giveUp(stack.baseUrl, key, body, afterMs)));
    provider.setControls(plainAnswer);
    expect(await readSettled(id)).toBe(0);
    expect(provider.requests.length).toBeGreaterThan(0);
  });

  /** Sends a request and closes the connection `afterMs` milliseconds later. */
  function giveUp(edge: string, key: string, body: string, afterMs: number): Promise<void> {
    return new Promise((resolve) => {
      const sent = request(`${edge}/v1/chat/completions`, {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      sent.once('error', () => undefined).once('close', () => resolve());
      sent.end(body);
      setTimeout(() => sent.destroy(), afterMs);
    });
  }

  it('a failed provider call uses no budget', async () => {
    const { key, id } = await budgetKey(smallBudget);
    provider.enqueue(null, { status: 503, body: { error: { message: 'overloaded' } } });
    const answer = await postChat(stack.baseUrl, key, { ...withTools, model: 'openai/gpt-4o-mini' });
    expect(answer.status).toBe(503);
    expect(await readSettled(id)).toBe(0);
  });
});
