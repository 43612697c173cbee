import type { ReplayProvider } from '@gateway/testing';
import { Redis } from 'ioredis';
import {
  connectEachFormat,
  createTestAccount,
  createTestKey,
  type CreatedKey,
  type TestAccount,
} from '../e2e/account.fixture.ts';
import { openAgent } from '../e2e/agent-clients.fixture.ts';
import { serveBoundModel } from '../e2e/bound-model.fixture.ts';
import { result } from '../e2e/conversations.fixture.ts';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { postChat, send, type Answer } from '../e2e/http.fixture.ts';
import { plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import { readBudget } from '../integration/limits/replicas.fixture.ts';
import { eventually, undoAll, untilDayLasts, type Undo } from '../integration/stack.fixture.ts';
import { startFailpointStack, type FailpointStack } from './failpoints.fixture.ts';
import { query } from './lost-nothing.fixture.ts';

const undo: Undo[] = [];
let running: FailpointStack;
let provider: ReplayProvider;
let account: TestAccount;
let redis: Redis;
let sent = 0;

beforeAll(async () => {
  await untilDayLasts(240_000);
  running = await startFailpointStack();
  undo.push(() => running.stop());
  redis = new Redis(running.stack.dev.redis_url);
  undo.push(() => redis.disconnect());
  provider = await startProvider();
  undo.push(() => provider.close());
  account = await createTestAccount(running.stack);
  await connectEachFormat(running.stack.baseUrl, account.apiKey, provider.url);
}, 240_000);
beforeEach(() => provider.setControls(() => plainAnswer));
afterEach(() => provider.reset());
afterAll(() => undoAll(undo), 120_000);

const createKey = (limits: object = {}): Promise<CreatedKey> =>
  createTestKey(running.stack.baseUrl, account.apiKey, { name: 'run', rate_limit_rpm: 100_000, ...limits });

/** Sends a chat with tools. The name identifies the request in the request log. */
function ask(key: string, name = `failpoint-${(sent += 1)}`): Promise<Answer> {
  const messages = [{ role: 'user', content: `Create an issue titled "${name}" in octo/hello` }];
  const body = { model: 'openai/gpt-4o-mini', messages, tools: githubTools };
  return postChat(running.stack.baseUrl, key, body, { 'x-request-id': name });
}

interface Row {
  readonly name: string;
  readonly status: string;
  readonly saved: number;
}

/** Returns a key's rows in the request log, oldest first. Waits for the given number of rows. */
function readRows(keyId: string, count: number): Promise<Row[]> {
  return eventually(async () => {
    const rows = await query<Row>(
      running.stack.dev.postgres.telemetry,
      `SELECT client_request_id AS name, status,
         (estimated_tokens_saved + compression_tokens_saved - recovery_tokens_deducted)::float AS saved
       FROM request_log WHERE key_id = $1 ORDER BY created_at`,
      [keyId],
    );
    return rows.length >= count ? rows : undefined;
  }, 60_000);
}

it('settle-flush: if an edge is killed before it sends saved tokens to Redis, the budget loses only one request', async () => {
  const warm = await createKey();
  const one = await eventually(async () => {
    const answer = await ask(warm.key);
    const isPruned = Number(answer.headers['x-svc-tools-output']) < githubTools.length;
    return isPruned ? (await readRows(warm.id, 1)).find(({ saved }) => saved > 0)?.saved : undefined;
  });
  await untilReturned(warm.id);

  const budget = 3 * one;
  const { key, id } = await createKey({ daily_token_budget: budget });
  const killed = await running.killAt('settle-flush', () => ask(key));
  expect(killed?.status).toBe(200);
  const answers = [killed];
  await eventually(async () => {
    const answer = await ask(key);
    expect(answer.status).toBe(200);
    answers.push(answer);
    return answer.headers['x-svc-budget'] === 'exhausted' || undefined;
  });
  const rows = await readRows(id, answers.length);
  expect(rows.map(({ status }) => status)).toEqual(answers.map(() => 'ok'));
  const [lost = 0, ...counted] = rows.map(({ saved }) => saved);
  expect(lost).toBeGreaterThan(0);
  const sum = counted.reduce((total, saved) => total + saved, 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(budget + Math.max(...counted));
  await eventually(async () => ((await budgetOf(id)).today === sum ? true : undefined));
}, 180_000);

const budgetOf = (keyId: string) => readBudget(redis, { accountId: account.accountId, keyId });

/** Waits until no edge reserves tokens of the key, so that no edge sends the key's budget to Redis again. */
function untilReturned(keyId: string): Promise<true> {
  return eventually(async () => {
    const { held } = await budgetOf(keyId);
    return held.length > 0 && held.every((tokens) => tokens === 0) ? true : undefined;
  });
}

it('commit-announce: a revocation that was committed but not announced takes effect after the restart', async () => {
  const { key, id } = await createKey();
  expect((await ask(key)).status).toBe(200);
  const path = `/v1/account/keys/${id}`;
  const revoke = () => send(running.stack.baseUrl, { method: 'DELETE', path, key: account.apiKey });
  await running.killAt('commit-announce', revoke);
  const unannounced = async (): Promise<number> => {
    const [{ count } = { count: -1 }] = await query<{ count: number }>(
      running.stack.dev.postgres.account,
      'SELECT count(*)::int AS count FROM accounts WHERE id = $1 AND announced_epoch < epoch',
      [account.accountId],
    );
    return count;
  };
  await eventually(async () => ((await unannounced()) === 0 ? true : undefined), 10_000);
  const refused = await eventually(async () => {
    const answer = await ask(key);
    return answer.status === 401 ? answer : undefined;
  }, 2_000);
  expect(refused.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
}, 120_000);

it.each(['spool-ship', 'ship-commit'] as const)(
  '%s: a request that was recorded but not shipped or committed is logged exactly once',
  async (name) => {
    const { key, id } = await createKey();
    const killed = await running.killAt(name, () => ask(key, name));
    expect(killed?.status).toBe(200);
    expect((await ask(key, `after ${name}`)).status).toBe(200);
    const rows = await readRows(id, 2);
    expect(rows.map((row) => [row.name, row.status])).toEqual([
      [name, 'ok'],
      [`after ${name}`, 'ok'],
    ]);
  },
  120_000,
);

it('plan-store: a first request that was planned but not stored reaches no provider and can be repeated', async () => {
  const { key, id } = await createKey();
  const model = serveBoundModel(provider, (text) =>
    text.startsWith('Create') ? 'create_branch' : undefined,
  );
  const agent = openAgent('messages', {
    baseUrl: running.stack.baseUrl,
    key,
    model: 'anthropic/claude-opus-5-5',
  });
  const transcript: object[] = [agent.user('Create a branch called login-fix in acme/widgets')];
  const killed = await running.killAt('plan-store', () => agent.ask(transcript, { stream: false }));
  expect(killed?.status).not.toBe(200);
  expect(provider.requests).toEqual([]);
  for (let turn = 0; turn < 2; turn += 1) {
    const answer = await agent.ask(transcript, { stream: false });
    expect(answer).toMatchObject({ status: 200, error: null, isWhole: true });
    transcript.push(answer.message, ...agent.results(answer, result(`${turn}`)));
  }
  expect(model.rules.violations).toEqual([]);
  expect(model.verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  const lists = provider.requests.map(
    ({ body }) => (JSON.parse(body.toString()) as { tools: unknown }).tools,
  );
  expect(lists[1]).toEqual(lists[0]);
  const rows = await readRows(id, 3);
  expect(rows.map(({ status }) => status).sort()).toEqual(['interrupted', 'ok', 'ok']);
}, 120_000);
