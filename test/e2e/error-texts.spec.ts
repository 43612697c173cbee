import { sharedStack } from '@gateway/testing';
import { createTestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { send, type Answer } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const chat = '/v1/chat/completions';
let key: string;

beforeAll(async () => {
  ({ apiKey: key } = await createTestAccount(stack));
});

function post(model: string): Promise<Answer> {
  return send(baseUrl, { path: chat, key, body: { model, messages: [{ role: 'user', content: 'Hello' }] } });
}

test.each([
  ['/chat/completions', chat],
  ['/v1/v1/chat/completions', chat],
  ['//v1//chat/completions', chat],
  ['/v1/chat/completion', chat],
  ['/v1/auth/login', '/v1/auth/log-in'],
])('a request to %s gets a 404 that suggests %s', async (path, suggestion) => {
  const answer = await send(baseUrl, { path, key, body: {} });
  const { error } = expectError(answer, { status: 404, type: 'not_found_error', code: 'not_found' });
  expect(error.message).toContain(`Did you mean ${suggestion}?`);
});

test('a wrong method gets a 405 that names the supported methods', async () => {
  const answer = await send(baseUrl, { method: 'GET', path: chat, key });
  expect(
    expectError(answer, { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' }).error
      .message,
  ).toContain('Use POST');
});

test.each([
  [
    { authorization: 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock' },
    'missing_api_key',
    'Signature Version 4',
  ],
  [{ authorization: 'sk-svc-key-without-scheme' }, 'missing_api_key', '"Authorization: Bearer sk-svc-…"'],
  [{ authorization: `Bearer sk-ant-api03-${'a'.repeat(40)}` }, 'invalid_api_key', 'the key of a provider'],
  [{ 'x-api-key': `sk-proj-${'a'.repeat(40)}` }, 'invalid_api_key', 'PUT /v1/account/providers'],
])('the credentials %j get a text for their form', async (headers, code, text) => {
  const answer = await send(baseUrl, { path: chat, headers, body: {} });
  const { error } = expectError(answer, { status: 401, type: 'authentication_error', code });
  expect(error.message).toContain(text);
  expect(error.message).not.toContain('aaaa');
});

test.each([
  ['opanai/gpt-4o-mini', 'Did you mean "openai/gpt-4o-mini"?'],
  ['svc/cheapest', 'Use svc/auto, svc/cheap, svc/fast or svc/capable.'],
  ['sandbox-2', 'Did you mean "sandbox-1"?'],
])('a request for the model %s gets a 404 with %s', async (model, text) => {
  const { error } = expectError(await post(model), {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
  });
  expect(error.message).toContain(text);
});

test('an empty body, an unknown provider and an invalid query parameter get specific texts', async () => {
  const headers = { 'content-type': 'application/json' };
  const empty = await send(baseUrl, { method: 'POST', path: chat, key, headers });
  expect(
    expectError(empty, { status: 400, type: 'invalid_request_error', code: 'malformed_json' }).error.message,
  ).toContain('The body is empty');
  const invalid = { status: 400, type: 'invalid_request_error', code: 'invalid_field' };
  const body = { provider: 'opanai', api_key: 'sk-a' };
  const provider = await send(baseUrl, { method: 'PUT', path: '/v1/account/providers', key, body });
  expect(expectError(provider, invalid).error.message).toContain('Did you mean "openai"?');
  const list = await send(baseUrl, { method: 'GET', path: '/v1/account/requests?status=failed', key });
  expect(expectError(list, { ...invalid, param: 'status' }).error.message).toContain('must be one of "ok"');
});
