import { createApiKey } from '@gateway/interchange';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { onceEffective } from './governance.fixture.ts';
import { findInLogs } from './logs.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const upstreamKey = 'sk-upstream-of-bad-input-0123456789';
const canary = 'canary-content-5d1f';
/** Secrets that must not appear in any log. */
const secrets = [upstreamKey, canary];

let provider: ReplayProvider;
let account: Awaited<ReturnType<typeof createTestAccount>>;
let key: string;

beforeAll(async () => {
  provider = await startProvider();
  account = await createTestAccount(stack);
  key = (await createTestKey(baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  secrets.push(account.apiKey, key);
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, key, { provider: 'openai', api_key: upstreamKey, base_url });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const authentication = { status: 401, type: 'authentication_error', param: null };
const invalid = { status: 400, type: 'invalid_request_error' };
const user = (content: string) => ({ role: 'user', content });
const hello = { model: 'sandbox/sandbox-1', messages: [user(canary)] };

describe('keys', () => {
  it.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['a scheme without a key', { authorization: 'Bearer ' }],
  ])('%s: the gateway returns missing_api_key', async (_what, headers) => {
    const answer = await send(baseUrl, { path: '/v1/chat/completions', body: hello, headers });
    expectError(answer, { ...authentication, code: 'missing_api_key' });
  });

  it('requests with malformed, mistyped, unknown and revoked keys receive identical responses', async () => {
    const revoked = await createTestKey(baseUrl, key, { name: 'revoked' });
    expect((await postChat(baseUrl, revoked.key, hello)).status).toBe(200);
    await send(baseUrl, { method: 'DELETE', path: `/v1/account/keys/${revoked.id}`, key });
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const bad = ['nonsense', `${key} `.repeat(100), mistyped, createApiKey().key, revoked.key];
    secrets.push(revoked.key, mistyped);
    await onceEffective(async () =>
      expect((await postChat(baseUrl, revoked.key, hello)).status).toBe(authentication.status),
    );
    const messages = new Set<string>();
    for (const each of bad) {
      const answer = await postChat(baseUrl, each, hello);
      messages.add(expectError(answer, { ...authentication, code: 'invalid_api_key' }).error.message);
    }
    expect(messages.size).toBe(1);
  });

  it('a key is rejected from the moment it expires', async () => {
    const expiresAt = Date.now() + 4_000;
    const expires_at = new Date(expiresAt).toISOString();
    const short = await createTestKey(baseUrl, key, { name: 'short', expires_at });
    secrets.push(short.key);
    expect(short.expires_at).toBe(expires_at);
    expect((await postChat(baseUrl, short.key, hello)).status).toBe(200);
    await waitMs(expiresAt - Date.now() + 20);
    expectError(await postChat(baseUrl, short.key, hello), { ...authentication, code: 'expired_api_key' });
    const past = { name: 'past', expires_at: new Date(Date.now() - 1_000).toISOString() };
    expectError(await send(baseUrl, { path: '/v1/account/keys', key, body: past }), {
      ...invalid,
      code: 'invalid_field',
      param: 'expires_at',
    });
  });
});

describe('models', () => {
  it('a request for an unknown model returns model_not_found', async () => {
    const answer = await postChat(baseUrl, key, { ...hello, model: 'no-such-model' });
    expectError(answer, { ...invalid, status: 404, code: 'model_not_found', param: 'model' });
  });

  it.each(['groq/llama-3.3-70b-versatile', 'deepseek-chat'])(
    '%s without a connected provider: the error names the provider and the API call that connects it',
    async (model) => {
      const answer = await postChat(baseUrl, key, { ...hello, model });
      const { error } = expectError(answer, { ...invalid, code: 'provider_not_connected', param: 'model' });
      expect(error.message).toContain('PUT /v1/account/providers');
    },
  );

  it('a model that two connected providers offer returns ambiguous_model with the choices', async () => {
    const other = await createTestAccount(stack);
    for (const name of ['groq', 'novita'])
      await connectProvider(baseUrl, other.apiKey, { provider: name, api_key: upstreamKey });
    const model = 'meta-llama/llama-4-scout-17b-16e-instruct';
    const answer = await postChat(baseUrl, other.apiKey, { ...hello, model });
    const { error } = expectError(answer, { ...invalid, code: 'ambiguous_model', param: 'model' });
    expect(error.message).toContain(`groq/${model}`);
    expect(error.message).toContain(`novita/${model}`);
  });

  it.each(['openai/模型\u0000\ud800', 'openai/a\r\nx-evil: 1'])(
    'the gateway forwards %j to the provider, even though no header or database can store it',
    async (model) => {
      provider.enqueue(null, plainAnswer);
      const answer = await postChat(baseUrl, key, { ...hello, model });
      expect(answer.status).toBe(200);
      expect(answer.headers).not.toHaveProperty('x-evil');
      const row = await waitForRow(baseUrl, key, requestIdOf(answer));
      expect(row).toMatchObject({ status: 'ok', provider: 'openai' });
    },
  );
});

describe('bodies', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'get', arguments: '{}' } });
  const assistant = { role: 'assistant', content: null, tool_calls: [call('c1')] };
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });
  const withMessages = (...messages: unknown[]) => ({ ...hello, messages });
  const text = JSON.stringify(hello);
  const deep = (levels: number) => text.replace('{', `{"x":${'['.repeat(levels)}${']'.repeat(levels)},`);

  it.each<[string, unknown, string, string | null]>([
    ['an empty body', '', 'malformed_json', null],
    ['a truncated body', text.slice(0, -2), 'malformed_json', null],
    ['data after the end', `${text}{}`, 'malformed_json', null],
    ['a trailing comma', text.replace('}]}', '}],}'), 'malformed_json', null],
    ['an invalid JSON number', text.replace('{', '{"n":NaN,'), 'malformed_json', null],
    ['a NUL between tokens', text.replace('{', '{\0'), 'malformed_json', null],
    ['invalid UTF-8', Buffer.from(text.replace(canary, 'ÿ'), 'latin1'), 'malformed_json', null],
    ['a list', '[]', 'invalid_field', null],
    ['no model', { messages: [user('x')] }, 'missing_field', 'model'],
    ['a model that is not text', { ...hello, model: 5 }, 'invalid_field', 'model'],
    ['a model of a megabyte', { ...hello, model: 'm'.repeat(1_000_000) }, 'invalid_field', 'model'],
    ['no messages', { model: 'x' }, 'missing_field', 'messages'],
    ['messages that are not a list', { ...hello, messages: 'x' }, 'invalid_field', 'messages'],
    ['tools that are not a list', { ...hello, tools: {} }, 'invalid_field', 'tools'],
    ['a tool that is not an object', { ...hello, tools: [null] }, 'invalid_field', 'tools[0]'],
    ['stream that is not a boolean', { ...hello, stream: 'yes' }, 'invalid_field', 'stream'],
    ['129 nested levels', deep(128), 'too_deep', null],
    ['10,000 nested levels', deep(10_000), 'too_deep', null],
    ['a million nested levels', deep(1_000_000), 'too_deep', null],
    [
      'a tool result without its call',
      withMessages(user('x'), result('c1')),
      'unbalanced_tool_calls',
      'messages[1]',
    ],
    [
      'a tool call without its result',
      withMessages(assistant, user('x')),
      'unbalanced_tool_calls',
      'messages[1]',
    ],
    [
      'a tool result of another call',
      withMessages(assistant, result('c2')),
      'unbalanced_tool_calls',
      'messages[1]',
    ],
  ])('an invalid chat body (%s) returns the error %3$s', async (_what, body, code, param) => {
    expectError(await postChat(baseUrl, key, body), { ...invalid, code, param });
  });

  it('a request with 5,000 tools returns too_many_tools, and 4,096 tools are accepted', async () => {
    const tools = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ type: 'function', function: { name: `tool_${at}` } }));
    const tooMany = await postChat(baseUrl, key, { ...hello, tools: tools(5_000) });
    expectError(tooMany, { ...invalid, code: 'too_many_tools', param: 'tools' });
    expect((await postChat(baseUrl, key, { ...hello, tools: tools(4_096) })).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'the content type %j returns unsupported_media_type',
    async (type) => {
      const answer = await postChat(baseUrl, key, hello, { 'content-type': type });
      expectError(answer, { ...invalid, status: 415, code: 'unsupported_media_type' });
    },
  );

  it('the gateway uses the last value of a duplicate JSON member, as the provider does', async () => {
    provider.enqueue(null, plainAnswer);
    const body = `{"model":"groq/x","messages":"first",${JSON.stringify({ ...hello, model: 'openai/gpt-4o' }).slice(1)}`;
    expect((await postChat(baseUrl, key, body)).status).toBe(200);
    const sent = provider.requests[0]!.body.toString('utf8');
    expect(sent.match(/"model"/g)).toHaveLength(1);
    expect(sent.match(/"messages"/g)).toHaveLength(1);
    expect(JSON.parse(sent)).toMatchObject({ model: 'gpt-4o', messages: hello.messages });
  });

  it('a request with NUL and lone surrogates in strings and names is forwarded and logged', async () => {
    provider.enqueue(null, plainAnswer);
    const tools = Array.from({ length: 40 }, (_, at) => ({
      type: 'function',
      function: { name: `t\u0000${at}\ud800`, description: '\u0000\udfff' },
    }));
    const body = { ...hello, model: 'openai/gpt-4o', messages: [user('a\u0000b\ud800c')], tools };
    const answer = await postChat(baseUrl, key, body, { 'x-svc-session-id': 'ä\u00ff' });
    expect(answer.status).toBe(200);
    expect(provider.requests[0]!.body.toString('utf8')).toContain('a\\u0000b\\ud800c');
    const row = await waitForRow(baseUrl, key, requestIdOf(answer));
    expect(row).toMatchObject({ status: 'ok', tools_in: 40 });
  });
});

it('the gateway still responds after all invalid requests, and no log contains keys, credentials or content', async () => {
  expect((await postChat(baseUrl, key, hello)).status).toBe(200);
  expect(findInLogs(stack, secrets)).toEqual([]);
});
