import { requestLogPage, type RequestDetail } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestAccount,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { leastOf } from './least.fixture.ts';
import { postChat, send, type Answer } from './http.fixture.ts';
import { plainAnswer, startProvider, streamedAnswer } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
let provider: ReplayProvider;
let account: TestAccount;

beforeAll(async () => {
  provider = await startProvider();
  account = await createTestAccount(stack);
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, account.apiKey, { provider: 'openai', api_key: 'sk-upstream', base_url });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const hello = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] };
const chat = (body: object, headers: Record<string, string> = {}) =>
  postChat(baseUrl, account.apiKey, body, headers);
const rowOf = (answer: Answer) => waitForRow(baseUrl, account.apiKey, requestIdOf(answer));

it.each([
  ['a header of the agent', { 'x-session-id': 'ses_1' }, {}, 'ses_1'],
  ['the body', {}, { prompt_cache_key: 'thread-1' }, 'thread-1'],
  ['X-Svc-Session-Id first', { 'x-svc-session-id': 'mine', 'session-id': 'ses_2' }, {}, 'mine'],
])('the session id is read from %s', async (_where, headers, fields, session_id) => {
  provider.enqueue(null, plainAnswer);
  expect(await rowOf(await chat({ ...hello, ...fields }, headers))).toMatchObject({ session_id });
});

it('the log has a request’s ids, usage, cost and timings', async () => {
  provider.enqueue(null, {
    ...plainAnswer,
    headers: { 'x-request-id': 'req_upstream_1' },
    firstByteDelayMs: 30,
  });
  const before = Date.now();
  const answer = await chat(hello, { 'x-svc-session-id': 'session-1', 'x-request-id': 'mine-1' });
  const row = await rowOf(answer);
  expect(row).toMatchObject({
    object: 'request',
    session_id: 'session-1',
    client_request_id: 'mine-1',
    key_id: account.keyId,
    endpoint: '/v1/chat/completions',
    format: 'chat-completions',
    provider: 'openai',
    model: 'gpt-4o-mini',
    requested_model: 'openai/gpt-4o-mini',
    stream: false,
    status: 'ok',
    http_status: 200,
    error_code: null,
    tools_in: 0,
    tools_out: 0,
    lane: 'untouched',
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    usage_estimated: false,
    estimated_tokens_saved: 0,
    provider_request_id: 'req_upstream_1',
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  // At gpt-4o-mini's prices, a million input tokens cost 0.15 USD and a million output tokens cost 0.60 USD.
  expect(row.cost_usd).toBeCloseTo((1000 * 0.15 + 100 * 0.6) / 1e6, 9);
  expect(Math.abs(Date.parse(row.created_at) - before)).toBeLessThan(30_000);
  const { total, first_byte, overhead, auth, upstream } = row.ms;
  expect(upstream).toBeGreaterThanOrEqual(25);
  expect(first_byte).toBeGreaterThanOrEqual(upstream!);
  expect(total).toBeGreaterThanOrEqual(first_byte!);
  expect(overhead).toBeGreaterThanOrEqual(auth!);
  expect(overhead).toBeLessThan(first_byte!);
});

it('if the provider returns no usage, usage is estimated and marked as an estimate', async () => {
  provider.enqueue(null, streamedAnswer(['eight ch', 'aracters']));
  const row = await rowOf(await chat({ ...hello, stream: true }));
  expect(row).toMatchObject({ stream: true, status: 'ok', usage_estimated: true, completion_tokens: 4 });
  expect(row.prompt_tokens).toBeGreaterThan(0);
});

/**
 * Returns true for a tool without required arguments, which the model can call without arguments.
 */
const asksForNothing = ({ function: { parameters } }: (typeof githubTools)[number]): boolean =>
  ((parameters as { required?: string[] } | undefined)?.required ?? []).length === 0;

describe('the routing trace', () => {
  const weather = {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Get the current weather forecast for a city',
      parameters: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        title: 'get_weather',
        type: 'object',
        properties: { city: { type: 'string', title: 'City' } },
      },
    },
  };
  const ask = async (toolCalls: string[]): Promise<RequestDetail> => {
    const tool_calls = toolCalls.map((name, at) => ({
      id: `call_${at}`,
      type: 'function',
      function: { name, arguments: '{}' },
    }));
    const message = { role: 'assistant', content: null, tool_calls };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    provider.enqueue(null, { ...plainAnswer, body: { ...(plainAnswer.body as object), choices } });
    const content = 'Get the current weather forecast for the city of München';
    return rowOf(
      await chat({ ...hello, messages: [{ role: 'user', content }], tools: [weather, ...githubTools] }),
    );
  };

  it('the routing trace contains each candidate’s rank, whether it was forwarded, and whether it was called', async () => {
    const row = await ask(['get_weather']);
    const { trace } = row;
    expect(trace).toMatchObject({
      request_id: row.id,
      method: row.routing,
      k: row.k,
      k_reason: row.k_reason,
    });
    expect(trace.toolset_version).not.toBeNull();
    expect(trace.candidates.map(({ rank }) => rank)).toEqual(trace.candidates.map((_, at) => at + 1));
    expect(new Set(trace.candidates.map(({ name }) => name)).size).toBe(118);
    const [best] = trace.candidates;
    expect(best).toMatchObject({ name: 'get_weather', rank: 1, forwarded: true, called: true });
    const out = trace.candidates.filter(({ forwarded }) => forwarded).map(({ name }) => name);
    // The model also receives the recovery tool.
    const reached = out.length + 1;
    expect(row).toMatchObject({
      tools_in: 118,
      tools_offered: 118,
      tools_out: reached,
      tools_pruned: 118 - out.length,
      forwarded_tools: out,
      called_tools: ['get_weather'],
      missed_tools: [],
      lane: 'edited',
      plan_defect: null,
      estimated_tokens_saved: (118 - reached) * 100,
      recovery_tokens_deducted: 0,
      net_tokens_saved: (118 - reached) * 100 + row.compression_tokens_saved,
    });
    expect(row.compression_steps.length).toBeGreaterThan(0);
    const saved = row.compression_steps.map((step) => step.tokens_before - step.tokens_after);
    expect(row.compression_tokens_saved).toBe(saved.reduce((sum, each) => sum + each, 0));
  });

  it('the routing trace names a pruned tool that was called', async () => {
    const first = await ask(['get_weather']);
    const takesNothing = new Set(githubTools.filter(asksForNothing).map((tool) => tool.function.name));
    const left = first.trace.candidates.find(
      ({ name, forwarded }) => !forwarded && takesNothing.has(name),
    )!.name;
    const row = await ask([left]);
    expect(row).toMatchObject({ called_tools: [left], missed_tools: [left] });
    expect(row.trace.candidates.find(({ name }) => name === left)).toMatchObject({ called: true });
  });
});

it('failed requests have rows with their error codes', async () => {
  const failed = await chat({ ...hello, model: 'groq/x' });
  expect(await rowOf(failed)).toMatchObject({
    status: 'error',
    http_status: 400,
    error_code: 'provider_not_connected',
    requested_model: 'groq/x',
    cost_usd: null,
  });
});

describe('the list', () => {
  let own: TestAccount;
  const ids: string[] = [];
  beforeAll(async () => {
    own = await createTestAccount(stack);
    const body = { ...hello, model: 'sandbox/sandbox-1' };
    for (let made = 0; made < 7; made++) ids.unshift(requestIdOf(await postChat(baseUrl, own.apiKey, body)));
    for (const id of ids) await waitForRow(baseUrl, own.apiKey, id);
  });
  const page = async (query: string, path = '/v1/account/requests') =>
    requestLogPage.parse((await send(baseUrl, { path: `${path}?${query}`, key: own.apiKey })).json());

  it('the request list is newest first and paginated, under each of its two paths', async () => {
    const whole = await page('');
    expect(whole).toMatchObject({ total: 7, limit: 50, offset: 0 });
    expect(whole.data.map(({ id }) => id)).toEqual(ids);
    const middle = await page('limit=3&offset=2', '/v1/requests');
    expect(middle).toMatchObject({ total: 7, limit: 3, offset: 2 });
    expect(middle.data).toEqual(whole.data.slice(2, 5));
    expect((await page('limit=3&offset=7')).data).toEqual([]);
  });

  it('the request list and the detail view contain nothing from another account', async () => {
    const theirs = requestLogPage.parse(
      (await send(baseUrl, { path: '/v1/requests?limit=500', key: account.apiKey })).json(),
    );
    expect(theirs.data.map(({ id }) => id)).not.toEqual(expect.arrayContaining([ids[0]]));
    const path = `/v1/account/requests/${ids[0]}`;
    const answer = await send(baseUrl, { path, key: account.apiKey });
    expectError(answer, { status: 404, type: 'not_found_error', code: 'not_found' });
    expect((await send(baseUrl, { path, key: own.apiKey })).status).toBe(200);
  });

  it('the request list contains each request exactly once, soon after the request ends', async () => {
    const log = async (): Promise<number> => {
      const startedAt = performance.now();
      const id = requestIdOf(await postChat(baseUrl, own.apiKey, { ...hello, model: 'sandbox/sandbox-1' }));
      const seen = await eventually(async () => (await page('limit=1')).data.find((row) => row.id === id));
      const tookMs = performance.now() - startedAt;
      expect(seen.status).toBe('ok');
      expect((await page('')).data.filter((row) => row.id === id)).toHaveLength(1);
      return tookMs;
    };
    expect(await leastOf(5_000, log)).toBeLessThan(5_000);
  });
});
