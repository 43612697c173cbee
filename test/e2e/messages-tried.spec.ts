/** Tests that each error text names the mistake, the place of the mistake, and the remedy. */
import { errorRegistry, type ErrorCode } from '@gateway/errors';
import { sharedStack } from '@gateway/testing';
import { createTestAccount, createTestKey } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { onceEffective } from './governance.fixture.ts';
import { postChat, send, type Answer, type Sent } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const chat = '/v1/chat/completions';
const providers = '/v1/account/providers';
let key: string;

beforeAll(async () => {
  ({ apiKey: key } = await createTestAccount(stack));
});

const say = (content: unknown) => [{ role: 'user', content }];
const hello = { model: 'sandbox/sandbox-1', messages: say('Hello') };
const json = { 'content-type': 'application/json' };
const keyLike = (prefix: string) => `Bearer ${prefix}${'a'.repeat(40)}`;
/** Validator terms, which no error text may contain. */
const jargon = /expected \w+ (to|one|but)|Invalid (input|option|ISO)|Too (small|big)|Unrecognized|[<>]=/;

/** A mistake in a request, with the status, code, field and texts of the error. */
interface Mistake {
  readonly name: string;
  readonly sent: Sent;
  /** Whether the request is sent without the account's key. */
  readonly hasNoKey?: true;
  readonly status: number;
  readonly code: ErrorCode;
  readonly param?: string;
  readonly texts: readonly string[];
}

const posting = (path: string, suggestion: string): Mistake => ({
  name: `a request to ${path}`,
  sent: { path, body: {} },
  ...{ status: 404, code: 'not_found', texts: [`POST ${path.split('?')[0]}`, `Did you mean ${suggestion}?`] },
});
const model = (name: string, status: number, code: ErrorCode, ...texts: string[]): Mistake => ({
  name: `a request for the model ${name}`,
  sent: { path: chat, body: { ...hello, model: name } },
  ...{ status, code, param: 'model', texts },
});
/** A request with the given credentials, and without the account's key. */
const credentials = (
  name: string,
  headers: Record<string, string>,
  code: ErrorCode,
  ...texts: string[]
): Mistake => ({
  name,
  sent: { path: chat, headers: { ...json, ...headers }, body: hello },
  hasNoKey: true,
  ...{ status: 401, code, texts },
});
const invalid = (name: string, sent: Sent, param: string, ...texts: string[]): Mistake => ({
  ...{ name, sent, status: 400, code: 'invalid_field', param, texts },
});
const putting = (body: object): Sent => ({ method: 'PUT', path: providers, body });
const createKey = (body: object): Sent => ({ path: '/v1/account/keys', body: { name: 'x', ...body } });
const reading = (path: string): Sent => ({ method: 'GET', path: `/v1/account/${path}` });

const mistakes: readonly Mistake[] = [
  posting('/chat/completions', chat),
  posting('/v1/v1/chat/completions', chat),
  posting('//v1//chat/completions', chat),
  posting('/v1/chat/completion', chat),
  posting('/v1/chat/completions/', chat),
  posting('/v1/auth/login', '/v1/auth/log-in'),
  {
    name: 'an id that is not an id',
    sent: { method: 'GET', path: '/v1/account/requests/abc' },
    ...{ status: 404, code: 'not_found', texts: ['Check the path and the id'] },
  },
  credentials('no key', {}, 'missing_api_key', '"Authorization: Bearer sk-svc-…"'),
  credentials('a wrong key', { authorization: 'Bearer nonsense' }, 'invalid_api_key', '"sk-svc-"'),
  credentials(
    'a key without Bearer',
    { authorization: 'sk-svc-key-without-scheme' },
    'missing_api_key',
    '"Authorization: Bearer sk-svc-…"',
  ),
  credentials(
    'a request signed with SigV4',
    { authorization: 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock' },
    'missing_api_key',
    'Signature Version 4',
    'bearer authentication',
  ),
  ...['sk-ant-api03-', 'sk-proj-', 'sk-or-v1-', 'AIza', 'gsk_', 'xai-'].map((prefix) =>
    credentials(
      `a key of a provider (${prefix})`,
      { authorization: keyLike(prefix) },
      'invalid_api_key',
      'the key of a provider',
      'PUT /v1/account/providers',
    ),
  ),
  credentials(
    'a key of a provider in x-api-key',
    { 'x-api-key': `sk-proj-${'a'.repeat(40)}` },
    'invalid_api_key',
    'the key of a provider',
    'PUT /v1/account/providers',
  ),
  model('opanai/gpt-4o-mini', 404, 'model_not_found', 'Did you mean "openai/gpt-4o-mini"?'),
  model('svc/cheapest', 404, 'model_not_found', 'Use svc/auto, svc/cheap, svc/fast or svc/capable.'),
  model('sandbox-2', 404, 'model_not_found', 'Did you mean "sandbox-1"?'),
  model('openai/gpt-4o', 400, 'provider_not_connected', 'openai, which is not connected', 'PUT /v1/account'),
  model('gpt-4o-mini', 400, 'provider_not_connected', 'openai or azure; neither is connected'),
  {
    name: 'GET on the chat endpoint',
    sent: { method: 'GET', path: chat },
    ...{ status: 405, code: 'method_not_allowed', texts: ['Use POST'] },
  },
  {
    name: 'broken JSON',
    sent: { path: chat, body: '{"model":"x",}' },
    ...{ status: 400, code: 'malformed_json', texts: ['at byte 13'] },
  },
  {
    name: 'an empty body',
    sent: { method: 'POST', path: chat, headers: json },
    ...{ status: 400, code: 'malformed_json', texts: ['The body is empty'] },
  },
  {
    name: 'a provider with wrong field names',
    sent: putting({ name: 'openai', key: 'sk-0123456789' }),
    ...{ status: 400, code: 'missing_field', param: 'provider' },
    texts: ['"provider" is required', '"name" is unknown', '"api_key"'],
  },
  {
    name: 'a key with a mistyped limit',
    sent: createKey({ rate_limit_rpn: 5 }),
    ...{ status: 400, code: 'unknown_field', param: 'rate_limit_rpn' },
    texts: ['Did you mean "rate_limit_rpm"?'],
  },
  invalid('an empty api_key', putting({ provider: 'openai', api_key: '' }), 'api_key', 'must not be empty'),
  invalid(
    'an unknown provider',
    putting({ provider: 'opanai', api_key: 'sk-0123456789' }),
    'provider',
    'Did you mean "openai"?',
    'GET /v1/account/providers',
  ),
  invalid(
    'a limit of 9999',
    reading('requests?limit=9999'),
    'limit',
    'The parameter "limit" must be at most 500',
  ),
  invalid('an unknown status', reading('requests?status=failed'), 'status', 'must be one of "ok"'),
  invalid('a date in words', reading('requests?from=yesterday'), 'from', 'such as 2026-01-31T12:00:00Z'),
  invalid(
    'a recall target in percent',
    { method: 'PUT', path: '/v1/account/routing/preferences', body: { pruning: { recall_target: 95 } } },
    ...['pruning.recall_target', 'at most 0.9999', '95% is 0.95'],
  ),
  invalid(
    'an expiry in the past',
    createKey({ expires_at: '2020-01-01T00:00:00Z' }),
    'expires_at',
    'in the future',
  ),
  invalid(
    'a mail address without @',
    { path: '/v1/auth/sign-up', body: { email: 'nobody', password: 'long enough for a password' } },
    ...['email', 'name@example.com'],
  ),
  {
    name: 'an image for the sandbox',
    sent: {
      path: chat,
      body: {
        model: 'svc/auto',
        messages: say([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]),
      },
    },
    ...{ status: 400, code: 'no_candidate_model', param: 'model' },
    texts: ['sandbox/sandbox-1: cannot read images'],
  },
  {
    name: 'reranking by the sandbox',
    sent: { path: '/v1/rerank', body: { model: 'sandbox/sandbox-1', query: 'x' } },
    ...{ status: 400, code: 'endpoint_not_supported', param: 'model' },
    texts: ['The provider sandbox does not support /v1/rerank'],
  },
  {
    name: 'a result of no tool call',
    sent: {
      path: chat,
      body: { ...hello, messages: [...say('x'), { role: 'tool', tool_call_id: 'c1', content: 'x' }] },
    },
    ...{ status: 400, code: 'unbalanced_tool_calls', param: 'messages[1]' },
    texts: ['messages[1] answers the tool call "c1", which no earlier message makes'],
  },
];

function expectTexts(answer: Answer, message: string, texts: readonly string[]): void {
  for (const text of texts) expect(message).toContain(text);
  expect(message).not.toMatch(jargon);
  expect(answer.text).not.toContain('aaaaaaaa');
}

/** Expects an error body in the common format, with the type that the registry has for the code. */
function expectMistake(answer: Answer, { texts, ...expected }: Omit<Mistake, 'name' | 'sent'>): void {
  const { type } = errorRegistry[expected.code];
  expectTexts(answer, expectError(answer, { ...expected, type }).error.message, texts);
}

it.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
  '%s gets a text with its place and its remedy',
  async (_, mistake) => {
    const own = mistake.hasNoKey ? {} : { key };
    expectMistake(await send(baseUrl, { ...own, ...mistake.sent }), mistake);
  },
);

it('a strict request in the messages format gets the fields that the provider lacks', async () => {
  const headers = { 'x-svc-strict': 'true' };
  const body = { ...hello, max_tokens: 10, top_k: 5 };
  const answer = await send(baseUrl, { path: '/v1/messages', key, headers, body });
  expect(answer.status).toBe(400);
  const { error } = answer.json() as { error: { message: string; details: { error_code: string } } };
  expect(error.details.error_code).toBe('translation_loss');
  const texts = ['The provider sandbox does not support these fields', 'top_k', 'x-svc-strict'];
  expectTexts(answer, error.message, texts);
});

it('a body over the limit gets the limit in MiB', async () => {
  const body = { ...hello, messages: say('x'.repeat(200_000)) };
  const answer = await postChat(edgeUrl(stack, 'tight'), key, body);
  expectMistake(answer, { status: 413, code: 'request_too_large', texts: ['larger than 0.1 MiB'] });
});

it('a request above the rate limit gets the limit and the time to wait', async () => {
  const limited = await createTestKey(baseUrl, key, { name: 'two', rate_limit_rpm: 2 });
  for (let calls = 0; calls < 2; calls++) await postChat(baseUrl, limited.key, hello);
  const answer = await postChat(baseUrl, limited.key, hello);
  expectMistake(answer, { status: 429, code: 'rate_limit_exceeded', texts: ['2 requests per minute'] });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
});

it.each([
  ['daily', { daily_token_budget: 0 }, 1],
  ['weekly', { weekly_token_budget: 0 }, 7],
])('an exhausted %s budget gets its limit and the time of its reset', async (period, limits, days) => {
  const { apiKey } = await createTestAccount(stack);
  const { key: spent } = await createTestKey(baseUrl, apiKey, { name: 'spent', ...limits });
  const body = { on_budget_exhausted: 'reject' };
  const path = '/v1/account/routing/preferences';
  await send(baseUrl, { method: 'PUT', path, key: apiKey, body });
  const asked = { ...hello, messages: say('Which issues are open?'), tools: githubTools };
  await onceEffective(async () => {
    const answer = await postChat(baseUrl, spent, asked);
    const texts = [`its ${period} budget of 0 saved tokens`, `${period}_token_budget`, 'T00:00:00Z'];
    expectMistake(answer, { status: 402, code: 'saved_token_budget_exhausted', texts });
    const reset = Date.parse(/resets at (\S+Z)\./.exec(answer.text)?.[1] ?? '');
    expect(reset).toBeGreaterThan(Date.now());
    expect(reset).toBeLessThanOrEqual(Date.now() + days * 86_400_000);
  });
});
