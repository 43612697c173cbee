/** For each registry error that a client can cause, one request that causes the error. */
import type { ErrorCode } from '@gateway/errors';
import { createApiKey } from '@gateway/interchange';
import { sharedStack, signUpPerson, startTokenIssuer } from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as waitMs } from 'node:timers/promises';
import { connectProvider, createTestAccount, createTestKey } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { untilEffective } from './governance.fixture.ts';
import { postChat, send, type Answer, type Sent } from './http.fixture.ts';
import { baseUrl, fn, hello, openWorld, say, type InterfaceWorld } from './interface.fixture.ts';
import { logIn, newPassword } from './log-in.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();

/** Opens the test account of the interface document, and connects two more providers with the same model. */
export async function openErrorWorld(): Promise<InterfaceWorld> {
  const world = await openWorld();
  const { key, provider } = world;
  provider.setControls(plainAnswer);
  for (const name of ['groq', 'novita'])
    await connectProvider(baseUrl, key, {
      ...{ provider: name, api_key: 'upstream-key-0123', base_url: `${provider.url}/v1` },
    });
  return world;
}

const chatPath = '/v1/chat/completions';
const preferences = '/v1/account/routing/preferences';
const at = (sent: Sent, url = baseUrl) => send(url, sent);
const webhook = { path: '/v1/billing/webhook', body: { id: 'evt_1', type: 'invoice.paid' } };

type Provoke = (world: InterfaceWorld) => Promise<Answer>;

/** Sends a chat request with the given changes, which make the request body invalid. */
const chat =
  (changes: object, headers = {}): Provoke =>
  ({ key }) =>
    postChat(baseUrl, key, { ...hello, ...changes }, headers);
/** Sends a request to an account route. */
const account =
  (sent: Sent): Provoke =>
  ({ key }) =>
    at({ key, ...sent });

async function limitTools(world: InterfaceWorld): Promise<string> {
  const { id, key } = await world.createKey();
  const path = `/v1/account/keys/${id}/toollist`;
  await at({ method: 'PUT', path, key: world.key, body: { denied_tools: ['erase'] } });
  await untilEffective();
  return key;
}

async function provokeExpiredToken(): Promise<Answer> {
  const issuer = await startTokenIssuer({ port: Number(new URL(process.env['TEST_OIDC_ISSUER']!).port) });
  try {
    const exp = Math.floor(Date.now() / 1000) - 1;
    const key = await issuer.issue('auth0|expired', 'gateway-under-test', { claims: { exp } });
    return await at({ path: '/v1/account/me', key }, edgeUrl(stack, 'oidc'));
  } finally {
    await issuer.close();
  }
}

async function provokeGuessLimit({ person }: InterfaceWorld): Promise<Answer> {
  const address = '100.63.0.1';
  let answer = await logIn(person.email, newPassword(), address);
  for (let tries = 0; tries < 40 && answer.status !== 429; tries++)
    answer = await logIn(person.email, newPassword(), address);
  return answer;
}

async function provokeBudget(): Promise<Answer> {
  const own = await createTestAccount(stack);
  const body = { on_budget_exhausted: 'reject' };
  const { key } = await createTestKey(baseUrl, own.apiKey, { name: 'spent', daily_token_budget: 0 });
  await at({ method: 'PUT', path: preferences, key: own.apiKey, body });
  await untilEffective();
  const messages = say('Which issues of the repository are open?');
  return postChat(baseUrl, key, { model: 'sandbox/sandbox-1', messages, tools: githubTools });
}

/**
 * Makes a provider fail, so that the gateway stops calling the provider. Returns the gateway's response to a
 * request that arrived while the circuit breaker waited for the result of its probe request.
 */
async function provokeOpenCircuit(): Promise<Answer> {
  const provider = await startProvider();
  const failing = { ...plainAnswer, status: 500, body: { error: { message: 'broken' } } };
  const { apiKey } = await createTestAccount(stack);
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, apiKey, { provider: 'mistral', api_key: 'upstream-key-0123', base_url });
  const askMany = (calls: number): Promise<Answer[]> => {
    const body = { ...hello, model: 'mistral/mistral-small-latest' };
    return Promise.all(Array.from({ length: calls }, () => postChat(baseUrl, apiKey, body)));
  };
  provider.setControls(failing);
  for (let rounds = 0; rounds < 10; rounds++) await askMany(5);
  provider.setControls({ ...failing, firstByteDelayMs: 1_000 });
  const answers = await askMany(8);
  await provider.close();
  return answers.find(({ status }) => status === 503) ?? answers[0]!;
}

async function answerAs({ provider, key }: InterfaceWorld, controls: object, url = baseUrl): Promise<Answer> {
  provider.enqueue(null, { ...plainAnswer, ...controls });
  return postChat(url, key, hello);
}

async function callWithin(base_url: string): Promise<Answer> {
  const { apiKey } = await createTestAccount(stack);
  await connectProvider(baseUrl, apiKey, { provider: 'openai', api_key: apiKey, base_url });
  return postChat(baseUrl, apiKey, hello);
}

/** For each error, a request that provokes the error on the running stack. */
export const provocations: Partial<Record<ErrorCode, Provoke>> = {
  missing_api_key: () => at({ path: chatPath, body: hello }),
  invalid_api_key: () => postChat(baseUrl, createApiKey().key, hello),
  async expired_api_key({ createKey }) {
    const expiresAt = Date.now() + 1_500;
    const { key } = await createKey({ expires_at: new Date(expiresAt).toISOString() });
    await waitMs(expiresAt - Date.now() + 50);
    return postChat(baseUrl, key, hello);
  },
  missing_session_token: () => at({ path: '/v1/account/register', body: {} }),
  invalid_session_token: ({ person }) =>
    at({ path: '/v1/account/me', key: `${person.accessToken.slice(0, -4)}AAAA` }),
  expired_session_token: provokeExpiredToken,
  async account_not_registered() {
    const { accessToken } = await signUpPerson(baseUrl, { register: false });
    return at({ path: '/v1/account/me', key: accessToken });
  },
  invalid_credentials: ({ person }) => logIn(person.email, newPassword()),
  invalid_refresh_token: () => at({ path: '/v1/auth/refresh', body: { refresh_token: randomUUID() } }),
  too_many_attempts: provokeGuessLimit,
  invalid_mail_token: () =>
    at({ path: '/v1/auth/verify-email', body: { token: `mt-svc-${'A'.repeat(43)}` } }),
  mail_not_configured: ({ person }) =>
    at({ path: '/v1/auth/forgot-password', body: { email: person.email } }),
  email_taken: ({ person }) =>
    at({ path: '/v1/auth/sign-up', body: { email: person.email, password: newPassword() } }),
  cross_site_request: () =>
    at({ path: '/v1/auth/refresh', body: {}, headers: { origin: 'https://attacker.example' } }),
  session_required: account({ path: '/v1/account/register', body: {} }),
  api_key_required: ({ person }) => postChat(baseUrl, person.accessToken, hello),
  async insufficient_scope({ createKey }) {
    return at({ path: '/v1/account/keys', key: (await createKey({ scopes: ['inference'] })).key });
  },
  async own_key_change({ createKey }) {
    const { id, key } = await createKey();
    return at({ method: 'PATCH', path: `/v1/account/keys/${id}`, key, body: { name: 'more' } });
  },
  async grant_exceeds_key({ createKey }) {
    const { key } = await createKey({ scopes: ['manage'] });
    return at({ path: '/v1/account/keys', key, body: { name: 'more', scopes: ['inference'] } });
  },
  malformed_json: account({ path: chatPath, body: '{"model":' }),
  malformed_multipart: account({
    path: '/v1/audio/transcriptions',
    body: 'no part',
    headers: { 'content-type': 'multipart/form-data' },
  }),
  invalid_field: account({ path: '/v1/account/keys', body: { name: 'x', rate_limit_rpm: 0 } }),
  missing_field: account({ path: '/v1/account/keys', body: {} }),
  unknown_field: account({ path: '/v1/account/keys', body: { name: 'x', rate_limit: 5 } }),
  async idempotency_key_reused({ key }) {
    const headers = { 'idempotency-key': randomUUID() };
    await at({ path: '/v1/account/keys', key, headers, body: { name: 'one' } });
    return at({ path: '/v1/account/keys', key, headers, body: { name: 'two' } });
  },
  unbalanced_tool_calls: chat({ messages: [{ role: 'tool', tool_call_id: 'c1', content: 'x' }] }),
  async tool_not_allowed(world) {
    const body = {
      ...hello,
      tools: [fn('erase'), fn('read')],
      tool_choice: { type: 'function', function: { name: 'erase' } },
    };
    return postChat(baseUrl, await limitTools(world), body);
  },
  async ambiguous_tools(world) {
    const decoy = { type: 'custom', custom: { name: 'erase' }, function: { name: 'read' } };
    return postChat(baseUrl, await limitTools(world), { ...hello, tools: [decoy] });
  },
  too_many_tools: chat({ tools: Array.from({ length: 4_097 }, (_, index) => fn(`t${index}`)) }),
  too_deep: account({ path: chatPath, body: `{"x":${'['.repeat(200)}${']'.repeat(200)}}` }),
  unsupported_media_type: chat({}, { 'content-type': 'text/plain' }),
  request_too_large: ({ key }) =>
    postChat(edgeUrl(stack, 'tight'), key, { ...hello, messages: say('x'.repeat(200_000)) }),
  ambiguous_model: chat({ model: 'meta-llama/llama-4-scout-17b-16e-instruct' }),
  model_not_found: chat({ model: 'gpt-4oo-minni' }),
  endpoint_not_supported: account({ path: '/v1/rerank', body: { model: 'anthropic/claude-sonnet-4-5' } }),
  async no_candidate_model() {
    const { apiKey } = await createTestAccount(stack);
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const messages = [{ role: 'user', content: [image] }];
    return postChat(baseUrl, apiKey, { model: 'svc/auto', messages });
  },
  provider_not_connected: chat({ model: 'deepseek/deepseek-chat' }),
  not_found: account({ path: '/v1/nowhere', body: {} }),
  method_not_allowed: account({ method: 'GET', path: chatPath }),
  translation_loss: chat({ model: 'anthropic/claude-sonnet-4-5', seed: 7 }, { 'x-svc-strict': 'true' }),
  thread_unsupported_request: ({ key }) => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' };
    return at({ path: '/v1/messages', key, body: { ...hello, max_tokens: 100, thread } });
  },
  async rate_limit_exceeded({ createKey }) {
    const { key } = await createKey({ rate_limit_rpm: 1 });
    await postChat(baseUrl, key, hello);
    return postChat(baseUrl, key, hello);
  },
  saved_token_budget_exhausted: provokeBudget,
  billing_not_configured: ({ person }) =>
    at({ path: '/v1/billing/sync-subscription', key: person.accessToken, body: {} }),
  invalid_webhook_signature: () => at(webhook),
  // The provider reports its error with status 200, so clients of other formats would parse the error as a response.
  async provider_error({ provider, key }) {
    const error = { type: 'overloaded_error', message: 'The model is broken.' };
    provider.enqueue(null, { ...plainAnswer, body: { type: 'error', error } });
    return postChat(baseUrl, key, { ...hello, model: 'anthropic/claude-sonnet-4-5' });
  },
  upstream_unreachable: () => callWithin('http://127.0.0.1:9/v1'),
  upstream_invalid: (world) => answerAs(world, { body: '{"choices":[' }),
  upstream_timeout: (world) => answerAs(world, { hang: 'before-headers' }, edgeUrl(stack, 'tight')),
  upstream_unavailable: provokeOpenCircuit,
  egress_denied: account({
    method: 'PUT',
    path: '/v1/account/providers',
    body: { provider: 'openai', api_key: 'sk-0123456789', base_url: 'http://10.0.0.1/v1' },
  }),
  request_loop: () => callWithin(`${edgeUrl(stack, 'tight')}/v1`),
};

/** The registry errors that need other settings or failed services. test/e2e/messages-outages.spec.ts provokes them. */
export const outageCodes = [
  ...(['sign_up_closed', 'already_subscribed', 'payment_provider_error'] as const),
  ...(['service_unavailable', 'overloaded', 'internal_error'] as const),
];
