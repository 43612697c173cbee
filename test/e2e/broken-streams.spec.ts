/** Tests what the client receives if the provider's stream breaks after its first byte. */
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { sharedStack, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import OpenAI from 'openai';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import { connectAnthropic, streamedMessages, bytesBeforeTextEnds } from './anthropic.fixture.ts';
import { streamedConverse, streamedEvents } from './bedrock.fixture.ts';
import { sendUntilEnd } from './http.fixture.ts';
import { renderFrame, startProvider, streamedAnswer } from './provider.fixture.ts';

const { baseUrl } = sharedStack();
let provider: ReplayProvider;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(sharedStack());
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  for (const [name, path] of [
    ['openai', '/v1'],
    ['anthropic', '/v1'],
    ['hosted', ''],
  ] as const) {
    const base_url = provider.url + path;
    await connectProvider(baseUrl, key, { provider: name, api_key: 'upstream-key', base_url });
  }
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const sse = { 'content-type': 'text/event-stream' };
const responseEvent = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const responseEvents = [
  responseEvent('response.created', {
    response: { id: 'resp_1', status: 'in_progress', error: null, output: [] },
  }),
  responseEvent('response.output_text.delta', { item_id: 'msg_1', output_index: 0, delta: 'Hello' }),
  responseEvent('response.completed', {
    response: { id: 'resp_1', status: 'completed', output: [], usage: null },
  }),
];
const converseStart = (streamedConverse(streamedEvents.slice(0, 3)).body as Buffer).length;

/**
 * The provider's response stream in each upstream format. `said` is the length in bytes of the stream up to
 * and including the text `Hello`, without the terminator.
 */
const upstreams: Readonly<Record<string, { readonly answer: ReplayControls; readonly said: number }>> = {
  'openai/gpt-4o': { answer: streamedAnswer(['Hello', '.']), said: Buffer.byteLength(renderFrame('Hello')) },
  'anthropic/claude-sonnet-4-5': { answer: streamedMessages(), said: bytesBeforeTextEnds },
  'hosted/some-model': { answer: streamedConverse(streamedEvents), said: converseStart },
  'openai/gpt-5.4': {
    answer: { status: 200, headers: sse, body: responseEvents.join('') },
    said: Buffer.byteLength(responseEvents.slice(0, 2).join('')),
  },
};

const messages = [{ role: 'user' as const, content: 'Hello.' }];
const endpoints = {
  chat: (model: string) => ({ path: '/v1/chat/completions', body: { model, stream: true, messages } }),
  messages: (model: string) => ({
    path: '/v1/messages',
    body: { model, stream: true, max_tokens: 100, messages },
  }),
  converse: (model: string) => ({
    path: `/model/${encodeURIComponent(model)}/converse-stream`,
    body: { messages: [{ role: 'user', content: [{ text: 'Hello.' }] }] },
  }),
  responses: (model: string) => ({ path: '/v1/responses', body: { model, stream: true, input: 'Hello.' } }),
};

const pairs = [
  ['chat', 'openai/gpt-4o'],
  ['chat', 'anthropic/claude-sonnet-4-5'],
  ['messages', 'anthropic/claude-sonnet-4-5'],
  ['messages', 'openai/gpt-4o'],
  ['converse', 'hosted/some-model'],
  ['converse', 'openai/gpt-4o'],
  ['responses', 'openai/gpt-5.4'],
  ['responses', 'anthropic/claude-sonnet-4-5'],
] as const;
const breaks = {
  'is reset': (answer: ReplayControls, said: number) => ({ ...answer, resetAtByte: said + 5 }),
  'ends without its terminator': (answer: ReplayControls, said: number) => ({
    ...answer,
    body: Buffer.from(answer.body as string | Buffer).subarray(0, said),
    // A body in one chunk would have a content length. A provider's stream has no content length.
    chunkBytes: 64,
  }),
};

describe.each(pairs)('%s with %s', (endpoint, model) => {
  it.each(Object.entries(breaks))(
    'a stream that %s resets the connection after the text, and the log has the status truncated',
    async (_how, broken) => {
      const { answer, said } = upstreams[model]!;
      provider.enqueue(null, broken(answer, said));
      const got = await sendUntilEnd(baseUrl, { ...endpoints[endpoint](model), key });
      expect(got).toMatchObject({ status: 200, brokenBy: { code: 'ECONNRESET' } });
      expect(got.text).toContain('Hello');
      expect(got.text).not.toMatch(
        /api_error|upstream_|\[DONE\]|message_stop|messageStop|response\.completed/,
      );
      expect(provider.requests).toHaveLength(1);
      expect(await waitForRow(baseUrl, key, requestIdOf(got))).toMatchObject({
        ...{ status: 'truncated', http_status: 200 },
        error_code: _how === 'is reset' ? 'upstream_unreachable' : 'upstream_invalid',
      });
    },
  );
});

it.each(pairs)('a complete stream of %s with %s ends without a reset', async (endpoint, model) => {
  provider.enqueue(null, upstreams[model]!.answer);
  const got = await sendUntilEnd(baseUrl, { ...endpoints[endpoint](model), key });
  expect(got).toMatchObject({ status: 200, brokenBy: null });
  expect(await waitForRow(baseUrl, key, requestIdOf(got))).toMatchObject({ status: 'ok' });
});

const openAi = () => new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
const sdks: Readonly<Record<string, readonly [model: string, () => Promise<AsyncIterable<unknown>>]>> = {
  'openai, chat completions': [
    'openai/gpt-4o',
    () => openAi().chat.completions.create({ model: 'openai/gpt-4o', messages, stream: true }),
  ],
  'openai, responses': [
    'openai/gpt-5.4',
    () => openAi().responses.create({ model: 'openai/gpt-5.4', input: 'Hello.', stream: true }),
  ],
  '@anthropic-ai/sdk': [
    'anthropic/claude-sonnet-4-5',
    () =>
      connectAnthropic(baseUrl, key).messages.create({
        ...{ model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages, stream: true },
      }),
  ],
};

it.each(Object.entries(sdks))(
  '%s raises a connection error, which agents retry, after the content received so far',
  async (_sdk, [model, ask]) => {
    const { answer, said } = upstreams[model]!;
    provider.enqueue(null, { ...answer, resetAtByte: said + 5 });
    const events: unknown[] = [];
    const read = async () => {
      for await (const event of await ask()) events.push(event);
    };
    const thrown = (await read().catch((error: unknown) => error)) as Error & { cause?: { code?: string } };
    expect(thrown.message).toBe('terminated');
    expect(thrown.cause?.code).toMatch(/^(?:ECONNRESET|UND_ERR_SOCKET)$/);
    expect(JSON.stringify(events)).toContain('Hello');
  },
);

it('over HTTP/2, a broken stream resets only its own HTTP/2 stream', async () => {
  const session = connectHttp2(baseUrl);
  const { answer, said } = upstreams['openai/gpt-4o']!;
  const ask = (controls: ReplayControls) => {
    provider.enqueue(null, controls);
    const { path, body } = endpoints.chat('openai/gpt-4o');
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    stream.end(JSON.stringify(body));
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return new Promise<{ text: string; code: number | undefined }>((resolve) => {
      stream.on('error', () => undefined).once('close', () => resolve({ text, code: stream.rstCode }));
    });
  };
  const broken = await ask({ ...answer, resetAtByte: said + 5 });
  expect(broken).toEqual({ text: renderFrame('Hello'), code: constants.NGHTTP2_INTERNAL_ERROR });
  expect(await ask(answer)).toEqual({ text: answer.body, code: constants.NGHTTP2_NO_ERROR });
  session.close();
});

it('an HTTP/1.0 client gets an error event in its format, because its connection ends with every response', async () => {
  const { answer, said } = upstreams['anthropic/claude-sonnet-4-5']!;
  provider.enqueue(null, { ...answer, resetAtByte: said + 5 });
  const { path, body } = endpoints.messages('anthropic/claude-sonnet-4-5');
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(baseUrl);
  const received = await new Promise<string>((resolve, reject) => {
    let all = '';
    const socket = connectTcp(Number(port), hostname, () => {
      const head = [
        `POST ${path} HTTP/1.0`,
        `host: ${hostname}`,
        `authorization: Bearer ${key}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(text)}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
    });
    socket.on('data', (chunk: Buffer) => (all += chunk.toString()));
    socket.once('end', () => resolve(all)).once('error', reject);
  });
  expect(received).toMatch(/event: error\ndata: \{"type":"error","error":\{"type":"api_error".*\}\n\n$/);
  expect(received).not.toContain('message_stop');
});
