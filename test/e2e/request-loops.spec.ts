/** Tests request loops. In a request loop, a provider's base URL leads back to the gateway. */
import { createServer, request as callHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { sharedStack } from '@gateway/testing';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { send, type Sent } from './http.fixture.ts';

const stack = sharedStack();
let proxy: Proxy;
let key: string;

beforeAll(async () => {
  proxy = await startProxy(() => stack.baseUrl);
  key = (await createTestAccount(stack)).apiKey;
});
beforeEach(() => proxy.received.splice(0));
afterAll(() => proxy.close());

interface Proxy {
  readonly url: string;
  /** The requests that passed through the reverse proxy. */
  readonly received: { readonly path: string; readonly marks: string }[];
  close(): void;
}

/**
 * Starts a reverse proxy that forwards to the gateway. The gateway's configuration does not contain the
 * proxy's address.
 */
async function startProxy(target: () => string): Promise<Proxy> {
  const received: { path: string; marks: string }[] = [];
  const pass = (asked: IncomingMessage, response: ServerResponse): void => {
    received.push({ path: asked.url ?? '', marks: String(asked.headers['cdn-loop']) });
    const { method = 'GET', headers, url = '/' } = asked;
    const call = callHttp(`${target()}${url}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    call.on('error', () => response.destroy());
    asked.pipe(call);
  };
  const server = createServer(pass).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, received, close };
}

/**
 * Connects the providers to a base URL that leads back to the gateway. The provider credential is the account's
 * own API key for the gateway. The requests that checked the credentials are removed from the proxy's list.
 */
async function connectTo(address: string): Promise<void> {
  const urls = { openai: `${address}/v1`, anthropic: address, hosted: address };
  for (const [provider, base_url] of Object.entries(urls))
    await connectProvider(stack.baseUrl, key, { provider, api_key: key, base_url });
  proxy.received.length = 0;
}

const messages = [{ role: 'user', content: 'Hi' }];
const chat: Sent = {
  path: '/v1/chat/completions',
  body: { model: 'openai/gpt-4o-mini', messages },
};
const converse: Sent = {
  path: '/model/hosted%2Famazon.nova-lite-v1:0/converse',
  body: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
};
const requests: readonly (readonly [string, Sent])[] = [
  ['a chat completion', chat],
  ['a stream', { ...chat, body: { ...(chat.body as object), stream: true } }],
  [
    'a message',
    {
      path: '/v1/messages',
      body: { model: 'anthropic/claude-sonnet-4-5', max_tokens: 9, messages },
    },
  ],
  ['a converse call', converse],
  ['an embedding', { path: '/v1/embeddings', body: { model: 'openai/text-embedding-3-small', input: 'Hi' } }],
];

describe('a request loop costs at most one extra request', () => {
  it.each(requests)(
    '%s: a loop through a proxy in front of the gateway costs one extra request',
    async (_, sent) => {
      await connectTo(proxy.url);
      const answer = await send(stack.baseUrl, { ...sent, key });
      expect({ status: answer.status, text: answer.text }).toMatchObject({
        status: 508,
        text: expect.stringContaining('This gateway sent the request to itself') as string,
      });
      expect(answer.headers['x-should-retry']).toBe('false');
      expect(proxy.received).toHaveLength(1);
    },
  );

  it('a loop between two replicas is rejected with request_loop', async () => {
    await connectTo(edgeUrl(stack, 'tight'));
    const answer = await send(stack.baseUrl, { ...chat, key });
    expect([answer.status, answer.json()]).toMatchObject([508, { error: { code: 'request_loop' } }]);
  });

  it('a loop in the list of models costs one request per provider', async () => {
    await connectTo(proxy.url);
    const answer = await send(stack.baseUrl, { path: '/v1/models?live=true', key });
    expect(answer.status).toBe(200);
    // The gateway sent one request to each provider that has a model list.
    expect(proxy.received.map(({ path }) => path).toSorted()).toEqual(['/models', '/v1/models']);
  });

  it('the loop mark in the upstream request is a random id', async () => {
    await connectTo(proxy.url);
    await send(stack.baseUrl, { ...chat, key, headers: { 'cdn-loop': 'edge-of-the-client; loops=3' } });
    expect(proxy.received.map(({ marks }) => marks)).toEqual([
      expect.stringMatching(/^agent-gateway-[0-9a-f]{32}$/),
    ]);
  });
});

describe('a refused request', () => {
  it.each([
    ['chat completions', chat, { error: { code: 'request_loop', type: 'invalid_request_error' } }],
    ['messages', requests[2]![1], { type: 'error', error: { type: 'api_error' } }],
    ['converse', converse, { message: expect.stringContaining('sent the request to itself') as string }],
  ] as const)(
    'a refused loop request gets its error in the format of %s, with or without a key',
    async (_, sent, expected) => {
      await connectTo(proxy.url);
      await send(stack.baseUrl, { ...chat, key });
      const headers = { 'cdn-loop': proxy.received[0]!.marks };
      for (const caller of [{}, { key }]) {
        const answer = await send(stack.baseUrl, { ...sent, ...caller, headers });
        expect([answer.status, answer.json()]).toMatchObject([508, expected]);
      }
      const foreign = { 'cdn-loop': `agent-gateway-${'0'.repeat(32)}` };
      expect((await send(stack.baseUrl, { path: '/v1/models', key, headers: foreign })).status).toBe(200);
    },
  );
});

describe('the gateway’s own address', () => {
  it.each(['127.0.0.1', 'localhost', '0.0.0.0', '[::ffff:127.0.0.1]'])(
    'the gateway’s own address is not accepted as a base_url: %s at the gateway’s port',
    async (host) => {
      const base_url = `http://${host}:${new URL(stack.baseUrl).port}/v1`;
      const body = { provider: 'openai', api_key: key, base_url };
      const answer = await send(stack.baseUrl, { method: 'PUT', path: '/v1/account/providers', key, body });
      expect([answer.status, answer.json()]).toMatchObject([
        400,
        { error: { code: 'invalid_field', param: 'base_url' } },
      ]);
    },
  );
});
