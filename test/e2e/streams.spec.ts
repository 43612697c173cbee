import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as waitMs } from 'node:timers/promises';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import OpenAI from 'openai';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestAccount, requestIdOf, waitForRow } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { leastOf } from './least.fixture.ts';
import { postChat, sendUntilEnd } from './http.fixture.ts';
import { plainAnswer, renderFrame, startProvider, streamedAnswer } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const words = Array.from({ length: 50 }, (_, at) => `word ${at} ü🌍 `);
const hello = { model: 'openai/gpt-4o', messages: [{ role: 'user' as const, content: 'hello' }] };
const streamed = { ...hello, stream: true as const };
const frameBytes = Buffer.byteLength(renderFrame(words[0]!));

let provider: ReplayProvider;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  key = (await createTestAccount(stack)).apiKey;
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, key, { provider: 'openai', api_key: 'sk-upstream', base_url });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const rowOf = (id: string) => waitForRow(baseUrl, key, id);

interface OpenStream {
  readonly call: ClientRequest;
  readonly response: IncomingMessage;
  readonly requestId: string;
}

/**
 * Starts a stream, and resolves when the client has received the first bytes. The caller must read the
 * remaining bytes.
 */
function openStream(): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const call = request(`${baseUrl}/v1/chat/completions`, { method: 'POST', agent: false, headers });
    call.once('error', reject);
    call.once('response', (response) => {
      response.once('error', () => undefined);
      response.once('readable', () => resolve({ call, response, requestId: requestIdOf(response) }));
    });
    call.end(JSON.stringify(streamed));
  });
}

it('streams arrive unchanged, regardless of the network packets’ sizes', async () => {
  for (const chunkBytes of [1, 7, [3, 1000]]) {
    const answer = { ...streamedAnswer(words), chunkBytes, cutInsideCharacters: true };
    provider.enqueue(null, answer);
    const got = await postChat(baseUrl, key, streamed);
    expect(got.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(got.text).toBe(answer.body);
  }
});

it('words arrive one by one, before the end of the stream', async () => {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  for (const said of [1, 2, 3]) {
    // The provider sends `said` words, and then stalls without ending the stream.
    provider.enqueue(null, { ...streamedAnswer(words), hang: said * frameBytes });
    const stream = await client.chat.completions.create(streamed);
    const heard: unknown[] = [];
    for await (const { choices } of stream) {
      heard.push(choices[0]?.delta.content);
      if (heard.length === said) break;
    }
    expect(heard).toEqual(words.slice(0, said));
  }
});

describe('a client that disconnects', () => {
  it('after a client disconnects, the provider’s stream ends within a second, and the log has the status cancelled', async () => {
    const leave = async (): Promise<number> => {
      provider.enqueue(null, { ...streamedAnswer(words), hang: 3 * frameBytes });
      const { call, requestId } = await openStream();
      const leftAt = performance.now();
      call.destroy();
      const received = provider.requests.at(-1)!;
      await eventually(() => received.endedAtMs);
      expect(received.ended).toBe('client-left');
      expect(await rowOf(requestId)).toMatchObject({ status: 'cancelled', error_code: null, stream: true });
      return received.endedAtMs! - leftAt;
    };
    expect(await leastOf(1_000, leave)).toBeLessThan(1_000);
  });

  it('a client that disconnects before the response also cancels the provider call', async () => {
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
    const leave = async (): Promise<number> => {
      provider.reset();
      provider.enqueue(null, { ...plainAnswer, hang: 'before-headers' });
      const left = new AbortController();
      const call = client.chat.completions
        .create(hello, { signal: left.signal })
        .catch((error: unknown) => error);
      const received = await eventually(() => provider.requests[0]);
      left.abort();
      const leftAt = performance.now();
      expect(await call).toBeInstanceOf(OpenAI.APIUserAbortError);
      await eventually(() => received.endedAtMs);
      return received.endedAtMs! - leftAt;
    };
    expect(await leastOf(1_000, leave)).toBeLessThan(1_000);
  });
});

describe('an interrupted provider response', () => {
  it.each([
    ['a stream that breaks before its first byte', streamed, { ...streamedAnswer(words), resetAtByte: 0 }],
    ['a response that breaks in the middle', hello, { ...plainAnswer, resetAtByte: 30 }],
  ])('%s: the gateway returns 502 in JSON', async (_what, body, controls) => {
    provider.enqueue(null, controls);
    const got = await postChat(baseUrl, key, body);
    expectError(got, { status: 502, type: 'api_error', code: 'upstream_unreachable', param: null });
    expect(await rowOf(requestIdOf(got))).toMatchObject({ status: 'error', http_status: 502 });
  });

  it.each([
    ['half an object', { ...plainAnswer, body: '{"choices":[' }],
    ['a compressed body that was not requested', { ...plainAnswer, headers: { 'content-encoding': 'gzip' } }],
  ])('%s instead of a response: the gateway returns 502 in JSON', async (_what, controls) => {
    provider.enqueue(null, controls);
    expectError(await postChat(baseUrl, key, hello), {
      status: 502,
      type: 'api_error',
      code: 'upstream_invalid',
    });
  });

  it('a body without a JSON content type is forwarded unchanged and logged as unreadable', async () => {
    provider.enqueue(null, { ...plainAnswer, body: '<html>', headers: { 'content-type': 'text/html' } });
    const got = await postChat(baseUrl, key, hello);
    expect({ status: got.status, text: got.text }).toEqual({ status: 200, text: '<html>' });
    expect(await rowOf(requestIdOf(got))).toMatchObject({ status: 'error', error_code: 'upstream_invalid' });
  });

  it('an unreachable provider leads to status 502 in JSON', async () => {
    const other = (await createTestAccount(stack)).apiKey;
    const base_url = 'http://127.0.0.1:9/v1';
    await connectProvider(baseUrl, other, { provider: 'openai', api_key: 'sk-upstream', base_url });
    const got = await postChat(baseUrl, other, hello);
    expectError(got, { status: 502, type: 'api_error', code: 'upstream_unreachable' });
  });
});

describe('a provider that stops sending', () => {
  const tight = () => edgeUrl(stack, 'tight');

  it('a provider that stops before its response leads to status 504 in JSON, and the call is cancelled', async () => {
    provider.enqueue(null, { ...plainAnswer, hang: 'before-headers' });
    const got = await postChat(tight(), key, hello);
    expectError(got, { status: 504, type: 'api_error', code: 'upstream_timeout', param: null });
    await expect(eventually(() => provider.requests[0]!.ended)).resolves.toBe('client-left');
    expect(await rowOf(requestIdOf(got))).toMatchObject({ status: 'error', http_status: 504 });
  });

  it('a provider that stops inside a stream leads to a reset connection after the content received so far', async () => {
    provider.enqueue(null, { ...streamedAnswer(words), hang: 2 * frameBytes });
    const got = await sendUntilEnd(tight(), { path: '/v1/chat/completions', key, body: streamed });
    expect(got).toMatchObject({ status: 200, brokenBy: { code: 'ECONNRESET' } });
    expect(got.text).toBe(words.slice(0, 2).map(renderFrame).join(''));
    expect(await rowOf(requestIdOf(got))).toMatchObject({
      status: 'truncated',
      error_code: 'upstream_timeout',
    });
  });
});

it('a stalled reader slows the provider down, and the edge’s memory does not grow', async () => {
  const bodyBytes = 120 * 1024 * 1024;
  const frame = renderFrame('x'.repeat(60_000));
  const body = Buffer.from(frame.repeat(Math.ceil(bodyBytes / frame.length)) + 'data: [DONE]\n\n');
  const { headers } = streamedAnswer([]);
  provider.enqueue(null, { status: 200, body, ...(headers ? { headers } : {}), chunkBytes: 256 * 1024 });
  const before = await readRss();
  const { response, requestId } = await openStream();
  await waitMs(2_000);
  expect((await readRss()) - before).toBeLessThan(40 * 1024 * 1024);
  expect(provider.requests[0]!.ended).toBeUndefined();
  // After the client resumes reading, it receives the whole stream.
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(body.length);
  expect(await rowOf(requestId)).toMatchObject({ status: 'ok' });
}, 60_000);

/** Reads the edge's resident memory in bytes. */
async function readRss(): Promise<number> {
  const metrics = await (await fetch(stack.dev.services['edge-gateway']!.metrics_url!)).text();
  const [, value] = /^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(metrics) ?? [];
  return Number(value);
}
