/**
 * Tests request and response bodies that are much larger than the gateway's buffers. The gateway's memory use
 * must not grow with the size of a body.
 */
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sharedStack } from '@gateway/testing';
import { connectProvider, createTestAccount } from './account.fixture.ts';

const mebibyte = 1024 * 1024;
const uploadBytes = 150 * mebibyte;
const answerBytes = 100 * mebibyte;
const growthBytesMax = 32 * mebibyte;

const stack = sharedStack();
let provider: Server;
let received = 0;
let isReading = true;
let key: string;
beforeAll(async () => {
  provider = createServer((incoming, response) => {
    received = 0;
    if (!isReading) return;
    incoming.on('data', (chunk: Buffer) => (received += chunk.length));
    incoming.once('end', () => {
      const isSpeech = incoming.url === '/v1/audio/speech';
      response.writeHead(200, { 'content-type': isSpeech ? 'audio/mpeg' : 'application/json' });
      if (isSpeech) void pipeline(Readable.from(zeros(answerBytes)), response).catch(() => undefined);
      else response.end('{"text":"long"}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  key = (await createTestAccount(stack)).apiKey;
  const { port } = provider.address() as AddressInfo;
  const base_url = `http://127.0.0.1:${port}/v1`;
  await connectProvider(stack.baseUrl, key, { provider: 'openai', api_key: 'upstream-key', base_url });
});
afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

function* zeros(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let left = bytes; left > 0; left -= chunk.length)
    yield chunk.subarray(0, Math.min(left, chunk.length));
}

const part = (name: string, more = '') =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
const model = `${part('model')}openai/whisper-1\r\n`;

function* upload(isModelLast: boolean): Generator<Buffer> {
  if (!isModelLast) yield Buffer.from(model);
  yield Buffer.from(part('file', '; filename="long.wav"'));
  yield* zeros(uploadBytes);
  yield Buffer.from(`\r\n${isModelLast ? model : ''}--cut--\r\n`);
}

/**
 * Sends a request body and reads the response. Returns the response's length in bytes, and the maximum growth
 * of the gateway's memory.
 */
async function exchange(path: string, type: string, body: Iterable<Buffer>) {
  const statm = `/proc/${stack.service('edge-gateway').pid}/statm`;
  const residentBytes = () => Number(readFileSync(statm, 'utf8').split(' ')[1]) * 4096;
  const before = residentBytes();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, residentBytes())), 20);
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const call = request(stack.baseUrl + path, { method: 'POST', headers, agent: false });
  const answered = new Promise<{ status: number; bytes: number }>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length)).once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
    });
  });
  await Promise.all([pipeline(Readable.from(body), call), answered]);
  clearInterval(watch);
  return { ...(await answered), growthBytes: peak - before };
}

/**
 * Returns the smallest memory growth over up to three requests, and the last response. Resident memory
 * includes a random amount of uncollected garbage. If a gateway buffered whole bodies, its memory would grow
 * with every request.
 */
async function leastGrowth(measure: () => ReturnType<typeof exchange>) {
  let answer = await measure();
  let { growthBytes } = answer;
  for (let again = 0; again < 2 && growthBytes >= growthBytesMax; again++) {
    answer = await measure();
    growthBytes = Math.min(growthBytes, answer.growthBytes);
  }
  return { ...answer, growthBytes };
}

const multipart = 'multipart/form-data; boundary=cut';

describe('a warmed-up gateway', () => {
  // Sends each request twice before the measurement, so that the heap size is stable.
  beforeAll(async () => {
    for (const isModelLast of [false, true, false, true])
      await exchange('/v1/audio/transcriptions', multipart, upload(isModelLast));
  }, 60_000);

  it.each([
    ['first', false],
    ['last', true],
  ])(
    'a warmed-up gateway forwards a 150 MB upload with the model %s in 32 MiB of memory',
    async (_, isModelLast) => {
      const answer = await leastGrowth(() =>
        exchange('/v1/audio/transcriptions', multipart, upload(isModelLast)),
      );
      expect(answer.status).toBe(200);
      const framing = [...upload(isModelLast)].reduce((sum, chunk) => sum + chunk.length, 0);
      expect(received).toBe(framing - 'openai/'.length);
      expect(answer.growthBytes).toBeLessThan(growthBytesMax);
    },
    60_000,
  );

  it('a warmed-up gateway forwards a 100 MB response in 32 MiB of memory', async () => {
    const asked = [Buffer.from('{"model":"openai/tts-1","voice":"alloy","input":"long"}')];
    const answer = await leastGrowth(() => exchange('/v1/audio/speech', 'application/json', asked));
    expect(answer).toMatchObject({ status: 200, bytes: answerBytes });
    expect(answer.growthBytes).toBeLessThan(growthBytesMax);
  }, 60_000);
});

it('while the provider does not read, the gateway accepts only as much of an upload as the sockets can buffer', async () => {
  isReading = false;
  const headers = { authorization: `Bearer ${key}`, 'content-type': multipart };
  const call = request(`${stack.baseUrl}/v1/audio/transcriptions`, { method: 'POST', headers, agent: false });
  let taken = 0;
  const body = Readable.from(upload(false)).on('data', (chunk: Buffer) => (taken += chunk.length));
  const sending = pipeline(body, call).catch(() => undefined);
  try {
    for (let before = -1; before !== taken;) {
      before = taken;
      await delay(1000);
    }
    expect(taken).toBeGreaterThan(0);
    // With Linux's default maximum buffer size, two socket buffers hold 20 MB.
    // On a machine tuned for long-distance links, two socket buffers hold 60 MB.
    expect(taken).toBeLessThan((2 * uploadBytes) / 3);
  } finally {
    isReading = true;
    call.destroy();
    await sending;
  }
}, 60_000);
