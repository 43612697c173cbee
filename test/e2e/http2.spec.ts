import { once } from 'node:events';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { text } from 'node:stream/consumers';
import { sharedStack } from '@gateway/testing';
import { createTestAccount } from './account.fixture.ts';

const stack = sharedStack();
const hello = JSON.stringify({
  model: 'sandbox/sandbox-1',
  messages: [{ role: 'user', content: 'hello' }],
});

let key: string;
let session: ClientHttp2Session;
beforeAll(async () => {
  key = (await createTestAccount(stack)).apiKey;
  session = connect(stack.baseUrl);
});
afterAll(() => session.close());

async function ask(path: string, body: string | undefined, headers: Record<string, string> = {}) {
  const method = body === undefined ? 'GET' : 'POST';
  const stream = session.request({
    ':method': method,
    ':path': path,
    'content-type': 'application/json',
    ...headers,
  });
  const answered = once(stream, 'response') as Promise<[IncomingHttpHeaders & { ':status': number }]>;
  stream.end(body);
  const [response] = await answered;
  return { status: response[':status'], headers: response, body: await text(stream) };
}

const authorized = () => ({ authorization: `Bearer ${key}` });

it('an HTTP/2 connection serves chat, account and unknown paths concurrently', async () => {
  const asked = [
    ask('/v1/chat/completions', hello, authorized()),
    ask('/v1/models', undefined, authorized()),
    ask('/v1/account/keys', JSON.stringify({ name: 'second' }), authorized()),
    ask('/nothing', undefined, authorized()),
    ask('/v1/chat/completions', undefined, authorized()),
    ask('/v1/chat/completions', '{', authorized()),
  ];
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 201, 404, 405, 400]);
});

it.each([
  ['no key', 401, {}],
  ['no JSON', 415, { 'content-type': 'text/plain' }],
])(
  'the gateway rejects a long request with %s before the body is complete, and keeps the connection open',
  async (_what, status, given) => {
    const headers = status === 401 ? given : { ...authorized(), ...given };
    const answer = await ask('/v1/chat/completions', 'x'.repeat(4_000_000), headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await ask('/v1/chat/completions', hello, authorized())).status).toBe(200);
  },
);

it('responses are streamed over HTTP/2', async () => {
  const body = JSON.stringify({ ...(JSON.parse(hello) as object), stream: true });
  const answer = await ask('/v1/chat/completions', body, authorized());
  expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
  expect(answer.body.trimEnd().endsWith('data: [DONE]')).toBe(true);
});
