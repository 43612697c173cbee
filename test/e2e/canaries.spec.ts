import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as waitMs } from 'node:timers/promises';
import { createApiKey } from '@gateway/interchange';
import {
  NeedleIndex,
  noteSecret,
  readSecretsUsed,
  sharedStack,
  type CanaryHit,
  type ReplayProvider,
  type Secret,
} from '@gateway/testing';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { connectProvider, createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider, streamedAnswer } from './provider.fixture.ts';
import { listSinks } from './sinks.fixture.ts';

const stack = sharedStack();
const { baseUrl, dataDir } = stack;
/** The time in milliseconds that the stack needs to write and export all logs, spans and events. */
const settledAfterMs = 3_000;

const createSecret = () => randomBytes(33).toString('base64url');
const credential = `sk-upstream-${createSecret()}`;
let account: TestAccount;
let provider: ReplayProvider;

/**
 * Searches all outputs of the stack, such as logs, databases and files. Returns the secrets that each output
 * contains, and the names of empty outputs.
 */
async function findIn(
  secrets: readonly Secret[],
): Promise<{ hits: Record<string, CanaryHit[]>; empty: string[] }> {
  const index = new NeedleIndex(secrets);
  const hits: Record<string, CanaryHit[]> = {};
  const empty: string[] = [];
  for (const sink of listSinks(stack)) {
    let length = 0;
    const found: CanaryHit[] = [];
    for await (const bytes of sink.read()) {
      length += bytes.length;
      found.push(...index.find(bytes));
    }
    if (found.length > 0) hits[sink.name] = found;
    if (length === 0) empty.push(sink.name);
  }
  return { hits, empty };
}

beforeAll(async () => {
  provider = await startProvider();
  provider.setControls(plainAnswer);
  account = await createTestAccount(stack);
}, 60_000);
afterAll(() => provider.close());

const hello = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello!' }] };

describe('places where secrets could leak', () => {
  it('a provider’s credential is removed from an error that repeats the credential, streamed or not', async () => {
    const base_url = `${provider.url}/v1`;
    await connectProvider(baseUrl, account.apiKey, { provider: 'openai', api_key: credential, base_url });
    const error = { message: `Incorrect API key provided: ${credential}.`, type: 'invalid_request_error' };
    for (const stream of [false, true]) {
      provider.enqueue(null, { ...plainAnswer, status: 401, body: { error } });
      const answer = await postChat(baseUrl, account.apiKey, { ...hello, stream });
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain(credential.slice(12, 24));
    }
    provider.enqueue(null, streamedAnswer(['a', 'b']));
    expect((await postChat(baseUrl, account.apiKey, { ...hello, stream: true })).status).toBe(200);
    provider.enqueue(null, { ...plainAnswer, resetAtByte: 10 });
    expect((await postChat(baseUrl, account.apiKey, hello)).status).toBe(502);
  });

  it('credentials with a wrong provider, address, field or byte are rejected', async () => {
    const put = (body: unknown) =>
      send(baseUrl, { method: 'PUT', path: '/v1/account/providers', key: account.apiKey, body });
    const refused = [
      { provider: 'nobody', api_key: createSecret() },
      { provider: 'sandbox', api_key: createSecret() },
      { provider: 'mistral', api_key: createSecret(), base_url: 'http://169.254.169.254/latest' },
      { provider: 'mistral', api_key: [createSecret()] },
      { provider: 'hosted', secret_access_key: createSecret(), session_token: createSecret() },
    ];
    for (const body of refused) expect((await put(body)).status).toBe(400);
    const broken = createSecret();
    noteSecret(dataDir, { name: 'api_key of a broken body', value: broken });
    expect((await put(`{"provider":"openai","api_key":"${broken}"`)).status).toBe(400);
  });

  it('credentials inside a request and keys in wrong places are sent, so that the later search can look for them', async () => {
    const cloud = { cloud_access_key_id: 'AKIAIOSFODNN7EXAMPLE', cloud_secret_access_key: createSecret() };
    await postChat(baseUrl, account.apiKey, { ...hello, model: 'hosted/anthropic.claude-v2', ...cloud });
    const { key } = createApiKey();
    noteSecret(dataDir, { name: 'a key in an address', value: key });
    await send(baseUrl, { path: `/v1/account/requests?api_key=${key}`, key: account.apiKey });
    await send(baseUrl, { path: `/v1/account/requests?api_key=${key}` });
    await send(baseUrl, { path: `/v1/models?key=${key}`, headers: { cookie: `key=${key}` } });
    expect((await postChat(baseUrl, key, hello)).status).toBe(401);
  });

  it('valid, invalid and reused passwords and tokens are sent, so that the later search can look for them', async () => {
    const email = `${createSecret().slice(0, 8)}@example.com`.toLowerCase();
    const password = createSecret();
    const post = (path: string, body: unknown, key?: string) =>
      send(baseUrl, { path, body, ...(key === undefined ? {} : { key }) });
    const signedUp = await post('/v1/auth/sign-up', { email, password, refresh_token_in: 'body' });
    expect(signedUp.status).toBe(201);
    const session = signedUp.json() as { access_token: string; refresh_token: string };
    expect((await post('/v1/auth/log-in', { email, password })).status).toBe(200);
    expect((await post('/v1/auth/log-in', { email, password: createSecret() })).status).toBe(401);
    expect((await post('/v1/account/register', {}, session.access_token)).status).toBe(200);
    expect((await postChat(baseUrl, session.access_token, hello)).status).toBe(403);
    const { refresh_token } = session;
    expect((await post('/v1/auth/refresh', { refresh_token })).status).toBe(200);
    expect((await post('/v1/auth/refresh', { refresh_token })).status).toBe(401);
  });
});

describe('the search for secrets', () => {
  const planted: Secret = { name: 'planted', value: createSecret() };
  let found: Awaited<ReturnType<typeof findIn>>;

  beforeAll(async () => {
    await plant(planted.value);
    await waitMs(settledAfterMs);
    found = await findIn([...readSecretsUsed(dataDir), planted]);
  }, 240_000);

  /** Returns the matching findings, grouped by the output that contained the secret. */
  const hitsOf = (isWanted: (hit: CanaryHit) => boolean) =>
    Object.fromEntries(
      Object.entries(found.hits)
        .map(([sink, hits]) => [sink, hits.filter(isWanted)] as const)
        .filter(([, hits]) => hits.length > 0),
    );

  it('the search finds a planted secret in every sink', () => {
    const sinks = ['error-answers', 'messages', 'redis', 'redis-commands', 'postgres account', 'files'];
    const hits = hitsOf(({ secret }) => secret === planted.name);
    expect(Object.keys(hits)).toEqual(expect.arrayContaining(['log of worker', ...sinks]));
  });

  it('the search finds data in every sink, and the run used every kind of secret', () => {
    expect(found.empty).toEqual([]);
    const names = readSecretsUsed(dataDir).map(({ name }) => name);
    for (const kind of ['authorization', 'api_key', 'key of', 'password', 'access_token', 'refresh_token'])
      expect({ kind, isUsed: names.some((name) => name.includes(kind)) }).toEqual({ kind, isUsed: true });
  });

  it('no sink contains a key, credential, password or token from the whole run', () => {
    expect(hitsOf(({ secret }) => secret !== planted.name)).toEqual({});
  });
});

it('no Redis user lacked a permission during the whole test run', async () => {
  const { redis_url, redis_cache_url } = stack.dev;
  for (const url of [redis_url, redis_cache_url]) {
    const redis = new Redis(url);
    const refused = (await redis.call('ACL', 'LOG')) as unknown[];
    redis.disconnect();
    expect(refused.map((entry) => JSON.stringify(entry))).toEqual([]);
  }
});

/** Writes a secret to several of the stack's outputs, in several encodings. */
async function plant(secret: string): Promise<void> {
  const encoded = Buffer.from(secret).toString('base64');
  const { apiKey } = account;
  // An unknown field has the secret as its name, so the error message contains the secret.
  await send(baseUrl, { path: '/v1/account/keys', key: apiKey, body: { name: 'x', [secret]: 1 } });
  await createTestKey(baseUrl, apiKey, { name: `named ${secret.slice(4, 20)}` });
  appendFileSync(stack.dev.services['worker']!.log_file, `{"msg":"${encodeURIComponent(secret)}"}\n`);
  const redis = new Redis(stack.dev.redis_url);
  await redis.set('planted', encoded, 'EX', 300);
  redis.disconnect();
  const { url, user, password: pass } = stack.natsCredentials('operator');
  const nats = await connect({ servers: url, user, pass });
  nats.publish('account.list-keys.v1', JSON.stringify({ accountId: encoded }));
  await nats.close();
}
