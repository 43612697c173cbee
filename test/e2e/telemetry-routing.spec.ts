import {
  recallAlertPage,
  recentRoutingTraceList,
  requestDetail,
  routingInsights,
  routingModelStatusList,
  toolHealthPage,
  type RequestDetail,
} from '@gateway/contracts';
import type { ReplayProvider } from '@gateway/testing';
import type { TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { callFor } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { plainAnswer, startProvider, streamedAnswer } from './provider.fixture.ts';
import {
  askWithTools,
  baseUrl,
  connectOpenAi,
  enqueueCall,
  openAccount,
  waitForRows,
} from './telemetry.fixture.ts';

/** The minimum number of samples that routing insights need. */
const samples = 20;
const routing = '/v1/account/routing';
const tools = '/v1/account/tools';
const fast = 'gpt-4o-mini';
const slow = 'gpt-4o';

let provider: ReplayProvider;
let account: TestAccount;
let stranger: TestAccount;
/** Log entries of requests with tools, newest first. In the oldest request, the model called a pruned tool. */
let decisions: RequestDetail[];
let missed: string;

beforeAll(async () => {
  provider = await startProvider();
  [account, stranger] = [await openAccount(provider), await openAccount(provider)];
  missed = await learnMissed();
  await ask(account, missed);
  for (let at = 1; at < samples; at++) await ask(account, 'get_weather');
  for (let at = 0; at < samples; at++) {
    await stream(fast, 0);
    await stream(slow, 40);
  }
  provider.enqueue(null, { ...plainAnswer, status: 500, body: { error: { message: 'broken' } } });
  await connectOpenAi(account.apiKey)
    .chat.completions.create({ model: `openai/${slow}`, messages: [hello] })
    .catch(() => undefined);
  const rows = await waitForRows(account.apiKey, 3 * samples + 1);
  const withTools = rows.filter(({ tools_in }) => tools_in > 0);
  decisions = await Promise.all(withTools.map(({ id }) => readDetail(id)));
}, 120_000);
afterAll(() => provider.close());

const warmUps = 3;

/**
 * Returns the pruned tool with the lowest rank for the test's question. The tool router ranks a new tool list by
 * keywords until its embeddings are ready. If planning misses its deadline on a busy machine, no tool is pruned.
 */
async function learnMissed(): Promise<string> {
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const learned = await ask(stranger, 'get_weather');
    await waitForRows(stranger.apiKey, attempt);
    const { trace } = await readDetail(learned, stranger);
    const found = trace.candidates.findLast(({ forwarded, name }) => !forwarded && takesNothing(name));
    if (found !== undefined && attempt > warmUps) return found.name;
  }
  throw new Error('no plan pruned any tool');
}

/**
 * Returns true for a tool without required arguments. The gateway forwards a call to a pruned tool unchanged
 * if the arguments are valid.
 */
const takesNothing = (name: string): boolean => {
  const parameters = githubTools.find((tool) => tool.function.name === name)?.function.parameters;
  return parameters !== undefined && !('required' in parameters);
};

const hello = { role: 'user' as const, content: 'hello' };

async function ask({ apiKey }: TestAccount, called: string): Promise<string> {
  enqueueCall(provider, called);
  const { response } = await askWithTools(apiKey);
  return response.headers.get('x-request-id')!;
}

async function stream(model: string, firstByteDelayMs: number): Promise<void> {
  provider.enqueue(null, { ...streamedAnswer(['Hello.']), firstByteDelayMs });
  const call = { model: `openai/${model}`, messages: [hello], stream: true as const };
  for await (const chunk of await connectOpenAi(account.apiKey).chat.completions.create(call))
    expect(chunk.choices).toBeDefined();
}

const readDetail = (id: string, { apiKey } = account) =>
  callFor(requestDetail, 200, { path: `/v1/account/requests/${id}`, key: apiKey });

describe('routing traces', () => {
  const read = async (query = '') =>
    (await callFor(recentRoutingTraceList, 200, { path: `${routing}/traces${query}`, key: account.apiKey }))
      .data;

  test('routing traces match the request’s detail for each decision, with the best candidates and the called tools', async () => {
    const traces = await read();
    expect(traces.map(({ request_id }) => request_id)).toEqual(decisions.map(({ id }) => id));
    for (const [at, { candidates, candidates_total, ...trace }] of traces.entries()) {
      const whole = decisions[at]!.trace;
      expect({ ...whole, candidates: [] }).toEqual({ ...trace, candidates: [] });
      expect(candidates_total).toBe(whole.candidates.length);
      expect(candidates).toEqual(whole.candidates.filter(({ rank, called }) => rank <= 10 || called));
    }
    const [first] = traces.at(-1)!.candidates.filter(({ called }) => called);
    expect(first).toMatchObject({ name: missed, forwarded: false });
    expect(traces.at(-1)).toMatchObject({
      k: expect.any(Number),
      method: expect.stringMatching(/^(keyword|semantic)$/),
      intent: expect.anything(),
    });
  });

  test('the list of routing traces respects the requested limit', async () => {
    expect((await read('?limit=3')).map(({ request_id }) => request_id)).toEqual(
      decisions.slice(0, 3).map(({ id }) => id),
    );
  });
});

describe('model statistics', () => {
  test('model statistics appear in the insights: recall, speed and use', async () => {
    const insights = await callFor(routingInsights, 200, {
      path: `${routing}/insights`,
      key: account.apiKey,
    });
    const named = (model_id: string) => ({ provider: 'openai', model_id });
    expect(insights.best_recall).toEqual([{ ...named(fast), samples, tool_recall: (samples - 1) / samples }]);
    expect(insights.fastest).toMatchObject([named(fast), named(slow)]);
    expect(insights.fastest[1]!.first_token_p50_ms).toBeGreaterThan(40);
    expect(insights.most_used).toMatchObject([
      { ...named(fast), requests: 2 * samples },
      { ...named(slow), requests: samples + 1 },
    ]);
  });

  test('model statistics appear in the model status, and are null for models without requests', async () => {
    const path = `${routing}/models/status`;
    const { data } = await callFor(routingModelStatusList, 200, { path, key: account.apiKey });
    const find = (id: string) => data.find((model) => model.id === `openai/${id}`);
    const { first_token_p50_ms, first_token_p95_ms, ...status } = find(slow)!;
    expect(status).toMatchObject({ requests: samples + 1, error_rate: 1 / (samples + 1), tool_recall: null });
    expect(first_token_p50_ms).toBeGreaterThan(40);
    expect(first_token_p95_ms).toBeGreaterThanOrEqual(first_token_p50_ms!);
    expect(status.total_p95_ms).toBeGreaterThanOrEqual(status.total_p50_ms!);
    expect(find(fast)).toMatchObject({
      requests: 2 * samples,
      error_rate: 0,
      tool_recall: (samples - 1) / samples,
    });
    const unused = data.find(({ id }) => id !== `openai/${slow}` && id !== `openai/${fast}`);
    expect(unused).toMatchObject({ requests: 0, error_rate: null, total_p50_ms: null, tool_recall: null });
  });
});

describe('tool health', () => {
  const read = (query = '', { apiKey } = account) =>
    callFor(toolHealthPage, 200, { path: `${tools}/health${query}`, key: apiKey });

  test('tool health matches the counts of each tool in the request details', async () => {
    const { data, total, requests_considered } = await read('?limit=500');
    expect([requests_considered, total, data.length]).toEqual([decisions.length, 118, 118]);
    for (const { name, stats, last_seen_at } of data) {
      const offers = decisions.flatMap(({ trace }) => trace.candidates.filter((each) => each.name === name));
      const forwarded = offers.filter((offer) => offer.forwarded);
      const called = offers.filter((offer) => offer.called);
      expect({ name, stats }).toEqual({
        name,
        stats: {
          offered: offers.length,
          forwarded: forwarded.length,
          called: called.length,
          called_when_pruned: called.filter((offer) => !offer.forwarded).length,
          called_when_denied: 0,
          call_through_rate:
            forwarded.length === 0
              ? null
              : forwarded.filter((offer) => offer.called).length / forwarded.length,
          mean_rank_when_called:
            called.length === 0 ? null : called.reduce((sum, { rank }) => sum + rank, 0) / called.length,
        },
      });
      expect(last_seen_at).toBe(decisions[0]!.created_at);
    }
    const find = (name: string) => data.find((tool) => tool.name === name)?.stats;
    expect(find('get_weather')).toMatchObject({
      called: samples - 1,
      called_when_pruned: 0,
      mean_rank_when_called: 1,
    });
    expect(find(missed)).toMatchObject({ called: 1, called_when_pruned: 1 });
  });

  test('the list of tool health is paginated', async () => {
    const whole = await read('?limit=500');
    const page = await read('?limit=5&offset=3&days=1');
    expect(page).toMatchObject({ data: whole.data.slice(3, 8), total: 118, limit: 5, offset: 3 });
    expect((await read('?offset=118')).data).toEqual([]);
  });
});

test('recall alerts name the pruned tool that was called', async () => {
  const path = `${tools}/recall-alerts`;
  const { data, total } = await callFor(recallAlertPage, 200, { path, key: account.apiKey });
  const request = decisions.at(-1)!;
  expect(request.missed_tools).toEqual([missed]);
  const { rank } = request.trace.candidates.find(({ name }) => name === missed)!;
  const where = {
    request_id: request.id,
    rank,
    k: request.k,
    pruned_because: 'below_k',
    at: request.created_at,
  };
  const alert = { object: 'recall_alert', tool: missed, detected_by: 'hallucinated_call', ...where };
  expect([total, data]).toEqual([1, [alert]]);
});

test.each([
  [`${routing}/traces?limit=101`, 'limit'],
  [`${routing}/traces?limit=0`, 'limit'],
  [`${tools}/health?days=91`, 'days'],
  [`${tools}/health?limit=no`, 'limit'],
  [`${tools}/recall-alerts?offset=-1`, 'offset'],
  [`${tools}/recall-alerts?tool=x`, 'tool'],
])('%s: the error names "%s"', async (path, param) => {
  const code = param === 'tool' ? 'unknown_field' : 'invalid_field';
  const answer = await send(baseUrl, { path, key: account.apiKey });
  expectError(answer, { status: 400, type: 'invalid_request_error', code, param });
});

test('another account cannot read traces, statistics, tool health or alerts', async () => {
  const nobody = await openAccount(provider);
  for (const path of [
    ...[`${routing}/traces`, `${routing}/insights`, `${tools}/health`, `${tools}/recall-alerts`],
  ]) {
    const { status, text } = await send(baseUrl, { path, key: nobody.apiKey });
    expect(status).toBe(200);
    for (const mark of ['get_weather', missed, fast, decisions[0]!.id])
      expect({ path, shows: text.includes(mark) }).toEqual({ path, shows: false });
  }
});
