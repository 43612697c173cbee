import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as waitMs } from 'node:timers/promises';
import { findRecordings, loadRecordings, skipUnless } from '../recordings/load-recordings.ts';
import { chooseCuts, type ReplayControls } from './controls.ts';
import { anthropicError, openAiError } from './error-bodies.ts';
import { startReplayProvider, type ReplayProvider } from './start-replay-provider.ts';

const folder = findRecordings(undefined);
const recordings = folder === undefined ? [] : loadRecordings(folder, 'chat_completions');
const streamed = recordings.find(
  (each) =>
    each.streaming &&
    each.fidelity === 'raw' &&
    (each.response()?.length ?? 0) < 20_000 &&
    /[^\0-\x7f]/.test(each.response()?.toString('utf8') ?? ''),
);
const plain = recordings.find((each) => !each.streaming && each.fidelity === 'raw' && each.status === 200);

let replay: ReplayProvider;
beforeAll(async () => {
  replay = await startReplayProvider();
});
afterEach(() => replay.reset());
afterAll(() => replay.close());

interface Heard {
  response: IncomingMessage;
  /** The response chunks as the HTTP parser delivered them. */
  chunks: Buffer[];
  body: Buffer;
  error: Error | undefined;
}

function ask(
  headers: Record<string, string> = {},
  body: string | Buffer = '{}',
  signal?: AbortSignal,
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    let hasBegun = false;
    const request = httpRequest(
      `${replay.url}/v1/chat/completions`,
      { method: 'POST', headers, agent: false, ...(signal === undefined ? {} : { signal }) },
      (response) => {
        hasBegun = true;
        const chunks: Buffer[] = [];
        let error: Error | undefined;
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (thrown) => (error = thrown));
        response.on('close', () => resolve({ response, chunks, body: Buffer.concat(chunks), error }));
      },
    );
    // If the connection is reset during the response, the response body reports the error.
    request.on('error', (thrown) => (hasBegun ? undefined : reject(thrown)));
    request.end(body);
  });
}

/** Returns the outcome of the first request. The client sees the outcome before the replay provider does. */
async function untilEnded(): Promise<string> {
  for (;;) {
    const ended = replay.requests[0]?.ended;
    if (ended !== undefined) return ended;
    await waitMs(5);
  }
}

// Recordings are not stored in the repository. CI requires the recordings (see `findSharedData`).
skipUnless(folder !== undefined, describe)('the replay provider', () => {
  const streamedId = streamed?.id ?? '';
  const streamedBody = streamed?.response() ?? Buffer.alloc(0);
  const plainId = plain?.id ?? '';

  it.each([
    ['a header', { 'x-replay-id': plainId }],
    ['a bearer key', { authorization: `Bearer replay:${plainId}` }],
    ['an API key', { 'x-api-key': `replay:${plainId}` }],
  ])('responds with the exchange that the request specifies by %s', async (_way, headers) => {
    const { response, body } = await ask(headers);
    expect(response.statusCode).toBe(plain?.status);
    expect(body.equals(plain?.response() ?? Buffer.alloc(0))).toBe(true);
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers['content-type']).toContain('json');
  });

  it('responds with the queued exchanges in order, and with 404 when the queue is empty', async () => {
    replay.enqueue(streamedId);
    replay.enqueue(plainId);
    expect((await ask()).response.headers['content-type']).toContain('text/event-stream');
    expect((await ask()).response.headers['content-type']).toContain('json');
    expect((await ask()).response.statusCode).toBe(404);
    expect(() => replay.enqueue('not-there')).toThrow('not recorded');
  });

  it('stores received requests byte for byte', async () => {
    const body = Buffer.from('{ "a" : 12345678901234567890, "b":"\u00e9\\u00e9", "a":1.0 }\n');
    await ask({ 'X-Odd-Case': 'Yes' }, body);
    const [received] = replay.requests;
    expect(received?.body.equals(body)).toBe(true);
    expect(received?.rawHeaders).toContain('X-Odd-Case');
    expect(received).toMatchObject({ method: 'POST', url: '/v1/chat/completions', ended: 'answered' });
  });

  it.each([1, 2, 3, 7])('sends chunks of %i bytes that add up to the same body', async (chunkBytes) => {
    replay.enqueue(streamedId, { chunkBytes });
    const { chunks, body } = await ask();
    expect(body.equals(streamedBody)).toBe(true);
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(chunkBytes);
  });

  it('splits the body inside characters', async () => {
    replay.enqueue(streamedId, { cutInsideCharacters: true });
    const { chunks, body } = await ask();
    expect(body.equals(streamedBody)).toBe(true);
    expect(chunks.some((chunk) => ((chunk[0] ?? 0) & 0xc0) === 0x80)).toBe(true);
  });

  it('waits before the first byte and between chunks', async () => {
    replay.enqueue(null, { body: 'abcdef', chunkBytes: 2, firstByteDelayMs: 100, chunkDelayMs: 60 });
    const from = performance.now();
    expect((await ask()).chunks.map(String)).toEqual(['ab', 'cd', 'ef']);
    expect(performance.now() - from).toBeGreaterThan(210);
  });

  it.each([0, 10])('resets the connection after %i bytes of the body', async (resetAtByte) => {
    replay.enqueue(streamedId, { resetAtByte });
    const { body, error } = await ask();
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(body.equals(streamedBody.subarray(0, resetAtByte))).toBe(true);
    expect(await untilEnded()).toBe('cut');
  });

  it('hangs before the headers or during the body, and detects that the client disconnects', async () => {
    for (const hang of ['before-headers', 5] as const) {
      replay.reset();
      replay.enqueue(streamedId, { hang });
      const leaving = new AbortController();
      const asked = ask({}, '{}', leaving.signal).catch((error: unknown) => error);
      while (replay.requests.length === 0) await waitMs(5);
      await waitMs(100);
      expect(replay.requests[0]?.ended).toBeUndefined();
      leaving.abort();
      await asked;
      expect(await untilEnded()).toBe('client-left');
    }
  });

  it.each<[string, ReplayControls, number]>([
    ['OpenAI 429', openAiError(429, 1500), 429],
    ['OpenAI 503', openAiError(503), 503],
    ['Anthropic 529', anthropicError(529, 20), 529],
  ])('sends errors that were not recorded: %s', async (_what, controls, status) => {
    replay.enqueue(plainId, controls);
    const { response, body } = await ask();
    expect(response.statusCode).toBe(status);
    expect(JSON.parse(body.toString())).toEqual(controls.body);
    const { retryAfterMs } = controls;
    expect(response.headers['retry-after-ms']).toBe(
      retryAfterMs === undefined ? undefined : String(retryAfterMs),
    );
    expect(response.headers['retry-after']).toBe(
      retryAfterMs === undefined ? undefined : String(Math.ceil(retryAfterMs / 1000)),
    );
  });

  it('uses the general controls if the queue is empty', async () => {
    replay.setControls({ chunkBytes: 5 });
    expect((await ask({ 'x-replay-id': plainId })).chunks[0]).toHaveLength(5);
  });
});

it('splits the body only at the requested offsets', () => {
  const body = Buffer.from('aé€😀b');
  expect(chooseCuts(body, {})).toEqual([]);
  expect(chooseCuts(body, { chunkBytes: [1, 3] })).toEqual([1, 4, 5, 8, 9]);
  expect(chooseCuts(body, { cutInsideCharacters: true })).toEqual([2, 4, 5, 7, 8, 9]);
});
