/**
 * Tests the memory used by open requests. Large request bodies to a provider that never responds must not
 * exhaust the gateway's memory. Meanwhile, the gateway must keep serving other accounts' requests.
 */
import { readFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { postChat, type Answer } from '../e2e/http.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { startHangingProvider, type HangingProvider } from './hanging-provider.fixture.ts';

const mebibyte = 1024 * 1024;
const bodies = 50;
const bodyBytes = 31 * mebibyte;
const peakBytesMax = 1024 * mebibyte;

let stack: StackUnderTest;
let provider: HangingProvider;
let hostile: string;
let quiet: string;
/** Whether the test is over. Requests that are still waiting when the test ends may fail. */
let isOver = false;
const undo: Undo[] = [];

beforeAll(async () => {
  stack = await startStack();
  undo.push(() => stack.stop());
  provider = await startHangingProvider();
  undo.push(() => provider.close());
  hostile = await openAccount('hangs');
  quiet = await openAccount('answers');
}, 180_000);
afterEach(() => provider.answerAll());
afterAll(() => undoAll(undo), 60_000);

async function openAccount(name: string): Promise<string> {
  const { apiKey } = await createTestAccount(stack);
  const base_url = `${provider.url}/${name}/v1`;
  for (const each of ['openai', 'anthropic'])
    await connectProvider(stack.baseUrl, apiKey, { provider: each, api_key: 'upstream-key', base_url });
  // While Redis is slow, a key with the default limit may send only a few requests.
  return (await createTestKey(stack.baseUrl, apiKey, { name, rate_limit_rpm: 1_000_000 })).key;
}

/** Returns the peak memory in bytes of the edge process since its start. */
function readPeakBytes(): number {
  const { pid } = stack.service('edge-gateway');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

async function readMetric(name: string): Promise<number> {
  const metrics = await (await fetch(stack.dev.services['edge-gateway']!.metrics_url!)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1]);
}

/** Returns a chat request of `bodyBytes` bytes, with one long message. */
function renderLarge(model: string): Buffer {
  const empty = JSON.stringify({ model, messages: [{ role: 'user', content: '' }] });
  return Buffer.from(empty.replace('"content":""', `"content":"${'a'.repeat(bodyBytes - empty.length)}"`));
}

interface LargeRequest {
  readonly path: string;
  readonly body: Buffer;
  /** Whether the client sends the body in chunks, without declaring a length. */
  readonly isChunked?: boolean;
}

interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends many copies of the request concurrently. Resolves when each request has been rejected or is waiting
 * for the provider. Rejects if a request fails before a response.
 */
async function sendMany({ path, body, isChunked = false }: LargeRequest): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = [];
  const failures: Error[] = [];
  for (let at = 0; at < bodies; at += 1) {
    const length = isChunked ? {} : { 'content-length': body.length };
    const headers = { authorization: `Bearer ${hostile}`, 'content-type': 'application/json', ...length };
    const call = request(`${stack.baseUrl}${path}`, { method: 'POST', agent: false, headers });
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
      response.once('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        refusals.push({ status, headers: received, text: Buffer.concat(chunks).toString() });
      });
    });
    let isDone = false;
    call
      .once('response', () => (isDone = true))
      .on('error', (error) => {
        if (!isDone && !isOver) failures.push(error);
      });
    call.end(body);
  }
  await eventually(() => {
    expect(failures).toEqual([]);
    return refusals.length + provider.waiting.size >= bodies ? true : undefined;
  }, 120_000);
  return [...refusals];
}

async function askQuiet(): Promise<Answer> {
  const messages = [{ role: 'user', content: 'Hello!' }];
  return postChat(stack.baseUrl, quiet, { model: 'openai/gpt-4o-mini', messages });
}

const cases: readonly (readonly [string, LargeRequest])[] = [
  ['declared', { path: '/v1/chat/completions', body: renderLarge('openai/gpt-4o-mini') }],
  ['chunked', { path: '/v1/chat/completions', body: renderLarge('openai/gpt-4o-mini'), isChunked: true }],
  ['translated', { path: '/v1/chat/completions', body: renderLarge('anthropic/claude-sonnet-4-5') }],
];

it.each(cases)(
  'the gateway limits the bytes of open requests, not their number: 50 concurrent %s bodies of 31 MiB to a hanging provider',
  async (_, large) => {
    isOver = false;
    const refusals = await sendMany(large);
    expect(provider.waiting.size).toBeGreaterThan(0);
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) {
      expect({ status: refusal.status, text: refusal.text }).toMatchObject({
        status: 503,
        text: expect.stringMatching(/"code":"overloaded"/) as string,
      });
      expect(Number(refusal.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(refusal.text).toContain('bytes in memory');
    }
    const others = await Promise.all(Array.from({ length: 20 }, askQuiet));
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(readPeakBytes()).toBeLessThanOrEqual(peakBytesMax);
    isOver = true;
    provider.answerAll();
    await eventually(async () => ((await readMetric('gateway_held_memory_bytes')) === 0 ? true : undefined));
  },
  180_000,
);
