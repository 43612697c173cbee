import { connect } from 'node:net';
import { sharedStack } from '@gateway/testing';
import { createTestAccount, requestIdOf } from './account.fixture.ts';
import { edgeUrl, tightLimits } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { postChat, send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const chatPath = '/v1/chat/completions';
const authentication = { status: 401, type: 'authentication_error', param: null };
const invalid = { status: 400, type: 'invalid_request_error' };
const user = (content: string) => ({ role: 'user', content });
const hello = { model: 'sandbox/sandbox-1', messages: [user('hello')] };

let key: string;
beforeAll(async () => {
  key = (await createTestAccount(stack)).apiKey;
});

describe('body and header sizes', () => {
  const tooLarge = { status: 413, type: 'invalid_request_error', code: 'request_too_large' };
  const tight = edgeUrl(stack, 'tight');
  const big = { ...hello, messages: [user('x'.repeat(tightLimits.requestBodyBytesMax))] };

  it('a body with a declared length over the limit is rejected before the gateway reads the body', async () => {
    const declared = { 'content-type': 'application/json', 'content-length': 50_000_000 };
    const answer = await sendHead(tight, { ...declared, authorization: `Bearer ${key}` });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"request_too_large"');
  });

  it('a chunked body over the limit is rejected as soon as the body exceeds the limit', async () => {
    const answer = await postChat(tight, key, big, {
      'transfer-encoding': 'chunked',
    });
    expectError(answer, tooLarge);
  });

  it('a body slightly smaller than the limit is accepted', async () => {
    const room = tightLimits.requestBodyBytesMax - Buffer.byteLength(JSON.stringify(hello));
    const body = { ...hello, messages: [user('x'.repeat(room))] };
    expect((await postChat(tight, key, body)).status).toBe(200);
  });

  it('a request with headers over 16 KiB gets status 431 in the common error format', async () => {
    const answer = await send(baseUrl, { path: '/v1/models', key, headers: { 'x-big': 'x'.repeat(17_000) } });
    expectError(answer, { ...tooLarge, status: 431 });
  });

  it.each([
    ['a body with two declared lengths', { 'content-length': 5, 'transfer-encoding': 'chunked' }],
    ['a declared length that is not a number', { 'content-length': 'five' }],
  ])('%s: the gateway returns 400 and closes the connection', async (_what, headers) => {
    const answer = await sendHead(baseUrl, { authorization: `Bearer ${key}`, ...headers });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"request_id"');
  });

  it('the gateway keeps running after a client disconnects before it has sent all declared bytes', async () => {
    const head = { 'content-type': 'application/json', 'content-length': 5_000 };
    await sendHead(baseUrl, { ...head, authorization: `Bearer ${key}` }, '{"model":', 300);
    expect((await postChat(baseUrl, key, hello)).status).toBe(200);
  });

  /** Sends the headers and the start of a body. Returns all bytes that arrive before the connection closes. */
  function sendHead(
    url: string,
    headers: Record<string, string | number>,
    body = '',
    leaveAfterMs = 5_000,
  ): Promise<string> {
    const { hostname, port } = new URL(url);
    const lines = Object.entries({ host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}`);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString('utf8')));
      socket.on('error', () => undefined).once('close', () => resolve(answer));
      socket.setTimeout(leaveAfterMs, () => socket.destroy());
      socket.write(`POST ${chatPath} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
    });
  }
});

describe('paths and methods', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])(
    'a %s request to the chat path gets status 405 and the allowed method',
    async (method) => {
      const answer = await send(baseUrl, { method, path: chatPath, key });
      expectError(answer, { ...invalid, status: 405, code: 'method_not_allowed' });
      expect(answer.headers.allow).toBe('POST');
    },
  );

  it.each(['/v1/models', '/v1/account/keys', chatPath, '/nothing'])(
    'HEAD %s: the response has no body and grants no access',
    async (path) => {
      const answer = await send(baseUrl, { method: 'HEAD', path });
      expect([404, 405]).toContain(answer.status);
      expect(answer.text).toBe('');
      expect(requestIdOf(answer)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('GET / redirects to the dashboard', async () => {
    const answer = await send(baseUrl, { path: '/' });
    expect(answer).toMatchObject({ status: 302, headers: { location: '/dashboard/' } });
  });

  it.each([
    '/v1',
    '/nothing',
    '/openapi.json/..',
    '/%zz',
    '//v1/account/keys',
    '/v1//account/keys',
    '/v1/account/keys/',
    '/v1/account/keys%2F',
    '/v1/account%2Fkeys',
    '/V1/ACCOUNT/KEYS',
    '/./v1/account/keys',
    '/x/../v1/account/keys',
    '/v1/account/keys;x=1',
    '/v1/account/keys%00',
    '/v1/account/requests/..%2f..%2fkeys',
    '/v1/account/requests/not-a-uuid',
    `/v1/account/requests/${'0'.repeat(1000)}`,
    `/${'x'.repeat(10_000)}`,
  ])('GET %s with a valid key returns not_found', async (path) => {
    const answer = await send(baseUrl, { path, key });
    expectError(answer, { status: 404, type: 'not_found_error', code: 'not_found' });
  });

  it.each([
    '/v1/account/keys',
    '/%76%31/account/keys',
    '/v1/account/keys?x=%00',
    'http://elsewhere.example/v1/account/keys',
    '/v1/models/..',
    '/v1/requests',
    '/v1/account/providers',
  ])('GET %s without a key returns missing_api_key for every spelling of the path', async (path) => {
    expectError(await send(baseUrl, { path }), { ...authentication, code: 'missing_api_key' });
  });

  it.each([
    ['limit=0', 'invalid_field', 'limit'],
    ['limit=501', 'invalid_field', 'limit'],
    ['limit=ten', 'invalid_field', 'limit'],
    ['offset=-1', 'invalid_field', 'offset'],
    ['page=2', 'unknown_field', 'page'],
  ])('GET /v1/requests?%s returns the error %s', async (query, code, param) => {
    expectError(await send(baseUrl, { path: `/v1/requests?${query}`, key }), { ...invalid, code, param });
  });

  it.each<[string, unknown, string, string]>([
    ['an unknown field', { name: 'x', bogus: 1 }, 'unknown_field', 'bogus'],
    ['no name', {}, 'missing_field', 'name'],
    ['a name that is not text', { name: 5 }, 'invalid_field', 'name'],
    ['a rate limit of zero', { name: 'x', rate_limit_rpm: 0 }, 'invalid_field', 'rate_limit_rpm'],
    ['513 tools', { name: 'x', k_target_override: 513 }, 'invalid_field', 'k_target_override'],
  ])('creating a key with %s returns the error %3$s', async (_what, body, code, param) => {
    const answer = await send(baseUrl, { path: '/v1/account/keys', key, body });
    expectError(answer, { ...invalid, code, param });
  });
});
