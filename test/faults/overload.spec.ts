import { startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { expectError } from '../e2e/errors.fixture.ts';
import { send, type Answer } from '../e2e/http.fixture.ts';
import { startProvider } from '../e2e/provider.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import {
  ask,
  broken,
  TroubledProviders,
  wellAnswered,
  type TroubledAccount,
} from './troubled-providers.fixture.ts';

/**
 * The maximum number of concurrent requests, and the maximum number of queued requests. One account may
 * occupy half of the queue.
 */
const [inFlightMax, queuedMax] = [4, 4];
const slowMs = 1_000;

let stack: StackUnderTest;
let server: ReplayProvider;
let noisy: TroubledAccount;
let quiet: TroubledAccount;
/** Resolves when the test lets the provider send the slow responses. */
let held = Promise.withResolvers<undefined>();
const undo: Undo[] = [];

beforeAll(async () => {
  const variables = {
    REQUESTS_IN_FLIGHT_MAX: String(inFlightMax),
    REQUESTS_QUEUED_MAX: String(queuedMax),
    QUEUE_TIMEOUT_MS: '20000',
    // One account may use all request slots, so that the test can fill all slots.
    ACCOUNT_SHARE_MAX: '1',
  };
  stack = await startStack({ env: { 'edge-gateway': variables } });
  undo.push(() => stack.stop());
  server = await startProvider();
  undo.push(() => server.close());
  const providers = new TroubledProviders(stack, server);
  noisy = await providers.open('noisy', []);
  quiet = await providers.open('quiet', []);
  noisy.trouble = (request) => ({
    ...{ ...wellAnswered(request), firstByteDelayMs: slowMs },
    firstByteAfter: held.promise,
  });
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

/**
 * Fills all request slots and the noisy account's share of the queue until the test releases the requests.
 */
async function fill(): Promise<{ answers: () => Promise<Answer[]> }> {
  held = Promise.withResolvers();
  const begun = noisy.calls();
  const asked = Array.from({ length: inFlightMax + queuedMax / 2 }, () => ask(stack.baseUrl, noisy, false));
  await eventually(async () =>
    noisy.calls() - begun >= inFlightMax && (await readQueued()) >= queuedMax / 2 ? true : undefined,
  );
  return {
    answers: () => {
      held.resolve(undefined);
      return Promise.all(asked);
    },
  };
}

/**
 * Returns the number of queued requests. The provider may receive admitted requests before the gateway
 * receives the last request.
 */
async function readQueued(): Promise<number> {
  const metrics = await (await fetch(stack.dev.services['edge-gateway']!.metrics_url!)).text();
  return Number(/^gateway_requests_queued(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1]);
}

it('the gateway serves requests up to its limit, queues a few more, and immediately rejects the rest with a clean error', async () => {
  const filled = await fill();
  const late = await Promise.all(Array.from({ length: 10 }, () => ask(stack.baseUrl, noisy, true)));
  const shed = late.filter(({ status }) => status !== 200);
  expect(shed.length).toBeGreaterThan(0);
  for (const answer of shed) {
    expectError(answer, { status: 503, type: 'overloaded_error', code: 'overloaded', param: null });
    expect(answer.headers).toMatchObject({ 'x-should-retry': 'true' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers['retry-after-ms'])).toBeGreaterThanOrEqual(1_000);
  }
  expect(broken(await filled.answers())).toEqual([]);
}, 60_000);

it('overload errors have the format of the client’s API', async () => {
  const filled = await fill();
  const messages = {
    model: 'openai/gpt-4o-mini',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'Hi' }],
  };
  const converse = { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] };
  const { key } = noisy;
  const [told, toldByAws] = await Promise.all([
    send(stack.baseUrl, { path: '/v1/messages', key, body: messages }),
    send(stack.baseUrl, { path: '/model/openai%2Fgpt-4o-mini/converse', key, body: converse }),
  ]);
  expect(told).toMatchObject({ status: 503 });
  expect(told.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
  expect(toldByAws).toMatchObject({
    status: 503,
    headers: { 'x-amzn-errortype': 'ServiceUnavailableException' },
  });
  expect(broken(await filled.answers())).toEqual([]);
}, 60_000);

it('a quiet account is still served while a noisy account fills the queue', async () => {
  let isOver = false;
  const keepAsking = async (): Promise<void> => {
    while (!isOver) await ask(stack.baseUrl, noisy, false);
  };
  const filled = await fill();
  const noise = Array.from({ length: 3 * inFlightMax }, keepAsking);
  const first = filled.answers();
  const answers: Answer[] = [];
  for (let at = 0; at < 5; at += 1) answers.push(await ask(stack.baseUrl, quiet, at % 2 === 0));
  isOver = true;
  await Promise.all([...noise, first]);
  expect(broken(answers)).toEqual([]);
}, 60_000);

it('after the overload, every request slot is free again', async () => {
  await (await fill()).answers();
  const answers = await Promise.all(
    Array.from({ length: inFlightMax }, () => ask(stack.baseUrl, quiet, false)),
  );
  expect(broken(answers)).toEqual([]);
}, 60_000);
