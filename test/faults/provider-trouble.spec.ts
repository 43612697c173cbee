import { startStack, type ReplayControls, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { waitForRow, requestIdOf } from '../e2e/account.fixture.ts';
import { expectError } from '../e2e/errors.fixture.ts';
import { send, sendUntilEnd } from '../e2e/http.fixture.ts';
import { plainAnswer, renderFrame, startProvider, streamedAnswer } from '../e2e/provider.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { ask, askMany, broken, TroubledProviders, wellAnswered } from './troubled-providers.fixture.ts';

interface Edge {
  readonly baseUrl: string;
}

let stack: StackUnderTest;
let server: ReplayProvider;
let providers: TroubledProviders;
let edge: Edge;
let other: Edge;
const undo: Undo[] = [];

/** Timeouts below the defaults, which make the tests faster. */
const variables = { UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '1500', UPSTREAM_ANSWER_TIMEOUT_MS: '1500' };

beforeAll(async () => {
  stack = await startStack({
    replicas: { 'edge-gateway': 2 },
    env: { 'edge-gateway': variables, 'edge-gateway-2': variables },
  });
  undo.push(() => stack.stop());
  edge = { baseUrl: stack.baseUrl };
  other = { baseUrl: stack.dev.services['edge-gateway-2']!.url! };
  server = await startProvider();
  undo.push(() => server.close());
  providers = new TroubledProviders(stack, server);
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

const error = { message: 'told by the provider', type: 'server_error', code: null, param: null };
const json = { 'content-type': 'application/json' };
const failing = (status: number): ReplayControls => ({ status, body: { error }, headers: json });

/** Provider failures before the first byte of the response. */
const troubles: Readonly<Record<string, ReplayControls>> = {
  'answers 429': failing(429),
  'answers 500': failing(500),
  hangs: { ...plainAnswer, hang: 'before-headers' },
  'hangs after its headers': { ...streamedAnswer(['Hello.']), hang: 0 },
  'resets the connection': { ...plainAnswer, resetAtByte: 'before-headers' },
  'resets the connection after its headers': { ...plainAnswer, resetAtByte: 0 },
};

const requests = 50;

describe('one of three providers fails', () => {
  /** All test cases run in parallel, because they spend most of their time waiting. */
  const runs = new Map<string, Promise<Run>>();
  beforeAll(() => {
    for (const how of Object.keys(troubles)) runs.set(how, runTrouble(how));
    return Promise.all(runs.values());
  }, 120_000);

  it.each(Object.keys(troubles))(
    '%s: clients get no error, the failed provider is rarely called, and the provider is called again after its recovery',
    async (how) => {
      const run = (await runs.get(how))!;
      expect(run.broken).toEqual([]);
      expect(run.callsOnceKnown).toBeGreaterThanOrEqual(requests);
      expect(run.callsOnceKnown).toBeLessThanOrEqual(1.2 * requests);
      expect(run.usedAgainWithinMs).toBeLessThan(30_000);
    },
  );

  interface Run {
    readonly broken: readonly object[];
    /** The number of calls to the failing provider after the gateway detected the failure. */
    readonly callsOnceKnown: number;
    readonly usedAgainWithinMs: number;
  }

  async function runTrouble(how: string): Promise<Run> {
    const account = await providers.open(how.replaceAll(' ', '-'));
    account.trouble = () => troubles[how];
    const first = await askMany(edge.baseUrl, account, 20, 5);
    const before = account.calls();
    const second = await askMany(edge.baseUrl, account, requests, 2);
    const callsOnceKnown = account.calls() - before;
    account.trouble = undefined;
    const wellSince = performance.now();
    await eventually(async () => {
      const { headers } = await ask(edge.baseUrl, account, false);
      return headers['x-svc-provider'] === 'openai' ? true : undefined;
    }, 30_000);
    return {
      broken: broken([...first, ...second]),
      callsOnceKnown,
      usedAgainWithinMs: performance.now() - wellSince,
    };
  }
});

it('a response that breaks after its first byte resets the connection, and no other provider is called', async () => {
  const account = await providers.open('after-first-byte');
  const frames = renderFrame('Hello').length;
  account.trouble = () => ({ ...streamedAnswer(['Hello', '.']), resetAtByte: frames });
  const body = { model: 'openai/gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'Hello!' }] };
  const answer = await sendUntilEnd(edge.baseUrl, { path: '/v1/chat/completions', key: account.key, body });
  expect(answer).toMatchObject({ text: renderFrame('Hello'), brokenBy: { code: 'ECONNRESET' } });
  expect(account.calls()).toBe(1);
  expect(await waitForRow(stack.baseUrl, account.key, requestIdOf(answer))).toMatchObject({
    status: 'truncated',
    provider: 'openai',
  });
});

it('the log and the headers name the provider that responded, and the response has the client’s format', async () => {
  const account = await providers.open('named');
  account.trouble = () => failing(503);
  const answer = await ask(edge.baseUrl, account, false);
  expect(answer.headers).toMatchObject({
    'x-svc-provider': 'anthropic',
    'x-svc-model': 'claude',
    'x-svc-attempts': '2',
  });
  expect(answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] });
  expect(await waitForRow(stack.baseUrl, account.key, requestIdOf(answer))).toMatchObject({
    ...{ status: 'ok', provider: 'anthropic', model: 'claude', requested_model: 'openai/gpt-4o-mini' },
  });
});

describe('a provider without fallback', () => {
  it('a provider without fallback is called again after a transient failure', async () => {
    const account = await providers.open('passing', []);
    let calls = 0;
    account.trouble = () => (calls++ === 0 ? failing(500) : undefined);
    expect(broken([await ask(edge.baseUrl, account, false)])).toEqual([]);
    expect(account.calls()).toBe(2);
  });

  it('a provider is called again if its response breaks before the first byte reaches the client', async () => {
    const account = await providers.open('breaking', []);
    let calls = 0;
    account.trouble = () => (calls++ === 0 ? { ...plainAnswer, resetAtByte: 30 } : undefined);
    expect(broken([await ask(edge.baseUrl, account, false)])).toEqual([]);
    expect(account.calls()).toBe(2);
  });

  it('a provider call is retried only after the delay that the provider requests', async () => {
    const account = await providers.open('throttled', []);
    const times: number[] = [];
    account.trouble = () => {
      times.push(performance.now());
      return times.length === 1 ? { ...failing(429), headers: { ...json, 'retry-after': '1' } } : undefined;
    };
    expect(broken([await ask(edge.baseUrl, account, false)])).toEqual([]);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1_000);
  });

  it('a provider that requests a long delay is not called again, and the client receives the provider’s response', async () => {
    const account = await providers.open('long-pause', []);
    account.trouble = () => ({ ...failing(429), headers: { ...json, 'retry-after': '60' } });
    const answer = await ask(edge.baseUrl, account, false);
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect(answer.json()).toEqual({ error });
    expect(account.calls()).toBe(1);
  });

  it('a provider is not called again after an error that would occur again', async () => {
    const account = await providers.open('refusing', []);
    account.trouble = () => failing(400);
    expect((await ask(edge.baseUrl, account, false)).status).toBe(400);
    expect(account.calls()).toBe(1);
  });

  it('a provider receives at most 20% more calls than the gateway receives requests, at any failure rate', async () => {
    const account = await providers.open('budget', []);
    let calls = 0;
    account.trouble = () => (calls++ % 5 < 2 ? failing(500) : undefined);
    await askMany(edge.baseUrl, account, 300, 20);
    expect(account.calls()).toBeGreaterThan(300);
    expect(account.calls()).toBeLessThanOrEqual(360);
  }, 60_000);

  it('a provider counts as healthy if the connection breaks after the stream terminator', async () => {
    const account = await providers.open('abrupt', []);
    const { body, ...answer } = streamedAnswer(['Hello', '.']);
    account.trouble = () => ({ ...answer, body, resetAtByte: String(body).length });
    for (let request = 0; request < 5; request++) await ask(edge.baseUrl, account, true);
    const together = Array.from({ length: 8 }, () => ask(edge.baseUrl, account, true));
    expect(broken(await Promise.all(together))).toEqual([]);
  });

  it('an open circuit breaker allows one probe at a time to its provider, and other requests are rejected immediately', async () => {
    const account = await providers.open('open', []);
    account.trouble = () => failing(500);
    await askMany(edge.baseUrl, account, 10, 5);
    account.trouble = () => ({ ...failing(500), firstByteDelayMs: 1_000 });
    const before = account.calls();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(edge.baseUrl, account, false)));
    const told = answers.filter(({ status }) => status === 503);
    expect(told.length).toBe(7);
    expect(account.calls() - before).toBe(1);
    for (const each of told) {
      expectError(each, { status: 503, type: 'api_error', code: 'upstream_unavailable' });
      expect(Number(each.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('multiple keys for one provider', () => {
  const [first, second] = ['sk-first-of-two-keys', 'sk-second-of-two-keys'];
  async function openWithTwoKeys(name: string) {
    const account = await providers.open(name, []);
    const base_url = `${server.url}/${name}/openai/v1`;
    const body = { provider: 'openai', api_key: first, additional_api_keys: [second], base_url };
    const path = '/v1/account/providers';
    const answer = await send(stack.baseUrl, { method: 'PUT', path, key: account.key, body });
    expect(answer.json()).toMatchObject({ connected: true, additional_api_keys: 1 });
    const calls: Record<string, number> = {};
    const countCall = (key: string | undefined) => (calls[key ?? ''] = (calls[key ?? ''] ?? 0) + 1);
    return { account, calls, countCall };
  }
  const keyOf = ({ authorization }: { authorization?: string | undefined }) =>
    authorization?.replace('Bearer ', '');

  it.each([429, 401, 500])(
    'a key that receives %i is replaced by another key of the provider',
    async (status) => {
      const { account, calls, countCall } = await openWithTwoKeys(`two-keys-${status}`);
      account.trouble = ({ headers }) => {
        countCall(keyOf(headers));
        return keyOf(headers) === first ? failing(status) : undefined;
      };
      expect(broken(await askMany(edge.baseUrl, account, 30, 3))).toEqual([]);
      expect(calls[second]).toBe(30);
      expect(calls[first]).toBeLessThanOrEqual(12);
    },
  );

  it('multiple keys for one provider share the load', async () => {
    const { account, calls, countCall } = await openWithTwoKeys('two-keys-shared');
    account.trouble = (request) => {
      countCall(keyOf(request.headers));
      // This delay keeps all requests open at the same time, even on a busy machine.
      return { ...wellAnswered(request), firstByteDelayMs: 2_000 };
    };
    expect(broken(await askMany(edge.baseUrl, account, 20, 20))).toEqual([]);
    expect(calls[first]).toBeGreaterThanOrEqual(8);
    expect(calls[second]).toBeGreaterThanOrEqual(8);
  });

  it('multiple keys are rejected for a provider whose credential has more fields than a key', async () => {
    const { key } = await providers.open('no-keys', []);
    const body = { provider: 'hosted', access_key_id: 'AKIA0000', secret_access_key: 's'.repeat(20) };
    const answer = await send(stack.baseUrl, {
      ...{ method: 'PUT', path: '/v1/account/providers', key },
      body: { ...body, additional_api_keys: ['another'] },
    });
    expectError(answer, {
      ...{ status: 400, type: 'invalid_request_error' },
      ...{ code: 'invalid_field', param: 'additional_api_keys' },
    });
  });
});

it('a replica sends only a probe to a provider whose failure another replica detected', async () => {
  const account = await providers.open('shared');
  account.trouble = () => failing(500);
  await ask(other.baseUrl, account, false);
  await askMany(edge.baseUrl, account, 10, 5);
  const before = account.calls('openai');
  // The second replica may not have received the broadcast about the failing provider yet.
  await eventually(async () => {
    const known = account.calls('openai');
    await ask(other.baseUrl, account, false);
    return account.calls('openai') === known ? true : undefined;
  });
  expect(broken(await askMany(other.baseUrl, account, 10, 2))).toEqual([]);
  // Without the broadcast, the second replica would notice the failing provider only after five failures.
  expect(account.calls('openai') - before).toBeLessThanOrEqual(4);
});

it('a fully buffered proxied request is retried; a streamed proxied request is not retried', async () => {
  const account = await providers.open('proxied', []);
  let calls = 0;
  account.trouble = (request) => (calls++ === 0 ? failing(500) : wellAnswered(request));
  const embed = (input: string) =>
    send(edge.baseUrl, {
      path: '/v1/embeddings',
      key: account.key,
      body: { model: 'openai/text-embedding-3-small', input },
    });
  expect((await embed('short')).status).toBe(200);
  expect(account.calls()).toBe(2);
  calls = 0;
  expect((await embed('x'.repeat(300_000))).status).toBe(500);
  expect(account.calls()).toBe(3);
});
