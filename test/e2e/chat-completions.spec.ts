import { findRecordings, loadRecordings, sharedStack, type ReplayProvider } from '@gateway/testing';
import OpenAI from 'openai';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { postChat } from './http.fixture.ts';
import { plainAnswer, recordingsFolder, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const upstreamKey = 'sk-upstream-0123456789abcdef';
let provider: ReplayProvider;
let key: string;

beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(stack.baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectProvider(stack.baseUrl, key, {
    provider: 'openai',
    api_key: upstreamKey,
    base_url: `${provider.url}/v1`,
  });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const recoveryToolName = 'svc_more_tools';

interface SentBody {
  model: string;
  tools?: { function: { name: string } }[];
}
/** The latest request that the provider received. */
const received = () => provider.requests.at(-1)!;
const receivedBody = () => JSON.parse(received().body.toString('utf8')) as SentBody;
/** Returns the names of the client's tools in the upstream request, without the gateway's recovery tool. */
const namesOf = (tools: SentBody['tools']) =>
  (tools ?? []).map((tool) => tool.function.name).filter((name) => name !== recoveryToolName);

describe('recorded tool calls with OpenAI’s SDK and 117 additional tools', () => {
  const recordings = loadRecordings(recordingsFolder);
  const direct = () => new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const through = () => new OpenAI({ baseURL: `${stack.baseUrl}/v1`, apiKey: key, maxRetries: 0 });

  it.each(recordings.map((recording) => [recording.id, recording] as const))('%s', async (id, recording) => {
    const recorded = JSON.parse(
      recording.request()!.toString('utf8'),
    ) as OpenAI.ChatCompletionCreateParamsNonStreaming;
    const own = namesOf(recorded.tools as SentBody['tools']);
    const request = { ...recorded, tools: [...githubTools, ...(recorded.tools ?? [])] };

    const ask = async (client: OpenAI, model: string) => {
      provider.enqueue(id);
      const call = { ...request, model };
      if (!recording.streaming) {
        const { data, response } = await client.chat.completions.create(call).withResponse();
        return { said: [data] as unknown[], headers: response.headers };
      }
      const streamed = await client.chat.completions.create({ ...call, stream: true }).withResponse();
      const said: unknown[] = [];
      for await (const chunk of streamed.data) said.push(chunk);
      return { said, headers: streamed.response.headers };
    };
    const expected = await ask(direct(), recorded.model);
    const got = await ask(through(), `openai/${recorded.model}`);
    expect(got.said.map(withoutRequestId)).toEqual(expected.said.map(withoutRequestId));

    const called = own.filter((name) =>
      new RegExp(`"name":\\s*"${name}"`).test(recording.response()!.toString('utf8')),
    );
    const forwarded = namesOf(receivedBody().tools);
    const offered = githubTools.length + own.length;
    expect(forwarded.length).toBeLessThan(offered);
    expect(called.length).toBeGreaterThan(0);
    expect(forwarded).toEqual(expect.arrayContaining(called));
    const output = receivedBody().tools!.length;
    expect(receivedBody().model).toBe(recorded.model);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'x-svc-tools-input': String(offered),
      'x-svc-tools-output': String(output),
      'x-svc-prune-ratio': `${output}/${offered}`,
      'x-svc-routing': expect.stringMatching(/^(semantic|keyword)$/),
      'x-svc-provider': 'openai',
      'x-svc-model': recorded.model,
      'x-svc-overhead-ms': expect.stringMatching(/^\d+(\.\d+)?$/),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': expect.stringMatching(/^9\d{3}$/),
      'x-ratelimit-reset-requests': expect.stringMatching(/s$/),
    });
  });

  /** Removes the request id from the parsed response. The SDK adds the request id from a response header. */
  function withoutRequestId(said: unknown): unknown {
    return { ...(said as object), _request_id: undefined };
  }
});

const withToolCalls = (folder: string) =>
  loadRecordings(folder, 'chat_completions').filter(
    (each) => each.fidelity === 'raw' && each.has_tools && each.has_tool_calls && each.status === 200,
  );
/**
 * The test uses all recorded exchanges of the large collection if available (`npm run test:e2e -- --data DIR`).
 * Without the large collection, the test uses the small collection in the repository.
 */
const given = findRecordings(process.env['DATA_DIR']);
const folder = given !== undefined && withToolCalls(given).length > 0 ? given : recordingsFolder;

it('every collected exchange with tool calls is returned byte for byte', async () => {
  const { startReplayProvider } = await import('@gateway/testing');
  const collected = withToolCalls(folder);
  expect(collected.length).toBeGreaterThan(0);
  const replay = await startReplayProvider({ recordings: folder });
  const base_url = `${replay.url}/v1`;
  await connectProvider(stack.baseUrl, key, { provider: 'mistral', api_key: upstreamKey, base_url });
  for (const recording of collected) {
    const recorded = JSON.parse(recording.request()?.toString('utf8') ?? '{}') as SentBody;
    if (recorded.tools === undefined) continue;
    const request = {
      ...recorded,
      model: `mistral/${recorded.model}`,
      tools: [...githubTools, ...recorded.tools],
    };
    replay.enqueue(recording.id);
    const answer = await postChat(stack.baseUrl, key, request);
    const isEqual = answer.bytes.equals(recording.response()!);
    expect({ id: recording.id, status: answer.status, isEqual }).toMatchObject({
      status: 200,
      isEqual: true,
    });
  }
  await replay.close();
});

describe('the upstream request', () => {
  /** A request with whitespace and a key order that no JSON serializer produces. */
  const untouched = `{ "seed":12345678901234567890 ,"model" : "openai/gpt-4o",\n\t"z":1e400,"a":-0.0,
    "messages":[{"role":"user","content":"\\u0047r\\u00fc\\/ße","name_":null}],"x_unknown":{"b":1,"a":[1.10,2]}}`;

  it('without planning, the upstream request equals the client’s bytes except for the provider prefix of the model name', async () => {
    provider.enqueue(null, plainAnswer);
    const answer = await postChat(stack.baseUrl, key, untouched);
    expect(answer.status).toBe(200);
    expect(received().body.toString('utf8')).toBe(untouched.replace('openai/gpt-4o', 'gpt-4o'));
    expect(answer.headers).not.toHaveProperty('x-svc-tools-input');
    const row = await waitForRow(stack.baseUrl, key, requestIdOf(answer));
    expect(row.lane).toBe('untouched');
  });

  it('after pruning, the upstream request differs from the client’s request only in the planned byte ranges', async () => {
    const head = `{ "seed":12345678901234567890,"model":"openai/gpt-4o","z":1e400 , "tools" : [`;
    const tail = `\n] ,"messages":[{"role":"user","content":"Get the current w\\u0065ather forecast for the city \\u004d\u00fcnchen?"}],"x_unknown":{"b":1.10,"a":9007199254740993}}`;
    const odd = `{"type":"function","x_own":1.50,"function":{"x_big":98765432109876543210,"name":"get_weather","description":"Get the current weather forecast for a city","parameters":{"type":"object","properties":{"n":{"maximum":12345678901234567890,"type":"integer"}}}}}`;
    const tools = githubTools.map((tool) => JSON.stringify(tool));
    const body = `${head}${[odd, ...tools].join(' ,\n')}${tail}`;
    provider.enqueue(null, plainAnswer);
    const answer = await postChat(stack.baseUrl, key, body);
    expect(answer.status).toBe(200);
    const sent = received().body.toString('utf8');
    expect(sent.startsWith(head.replace('openai/', ''))).toBe(true);
    const recoveryTool = JSON.stringify(receivedBody().tools?.at(-1));
    expect(recoveryTool).toContain(recoveryToolName);
    expect(sent.endsWith(tail.replace(/^\n/, `\n,${recoveryTool}`))).toBe(true);
    expect(sent).toContain('"x_big":98765432109876543210');
    expect(sent).toContain('"maximum":12345678901234567890');
    expect(sent).toContain('"x_own":1.50');
    const forwarded = namesOf(receivedBody().tools);
    expect(forwarded.length).toBeLessThan(tools.length + 1);
    // The gateway forwards the tools in the client's order, not in the order of their ranking.
    const offered = ['get_weather', ...namesOf(githubTools)];
    expect(forwarded).toEqual(offered.filter((name) => forwarded.includes(name)));
    const row = await waitForRow(stack.baseUrl, key, requestIdOf(answer));
    expect(row.lane).toBe('edited');
  });

  it.each([
    {
      cloud_access_key_id: 'AKIACANARY0123456789',
      cloud_secret_access_key: 'canary-secret-0123456789-0123456789-0123',
      cloud_session_token: 'canary-session',
      cloud_region_name: 'us-east-1',
    },
    { cloud_bearer_token_hosted: 'canary-bearer', cloud_region_name: 'us-east-1' },
  ])(
    'the upstream request contains none of the client’s extension fields, examples or connection headers',
    async (fields) => {
      const examples = { 'x-svc-examples': ['canary-example'] };
      const tools = githubTools
        .slice(0, 3)
        .map((tool) => ({ ...tool, function: { ...tool.function, ...examples } }));
      const messages = [{ role: 'user', content: 'hello' }];
      const body = { ...fields, model: 'openai/gpt-4o', tools, messages };
      provider.enqueue(null, plainAnswer);
      const answer = await postChat(stack.baseUrl, key, body, {
        'x-svc-session-id': 'session-1',
        cookie: 'canary-cookie=1',
        'openai-organization': 'canary-organisation',
        'x-forwarded-for': '203.0.113.7',
      });
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
      const { headers, body: sent } = received();
      expect(sent.toString('utf8')).not.toMatch(/cloud_|x-svc|canary|us-east|AKIA/);
      expect(namesOf(receivedBody().tools)).toEqual(namesOf(tools));
      expect(headers.authorization).toBe(`Bearer ${upstreamKey}`);
      expect(JSON.stringify(headers)).not.toMatch(/canary|x-svc|203\.0\.113|sk-svc|session-1/);
    },
  );
});

describe('a provider error', () => {
  it('a provider error is returned with its status and bytes, without the credential, and marked as a provider error', async () => {
    const body = `{ "error": {"message":"Incorrect API key provided: KEY.","type":"invalid_request_error","code":"invalid_api_key","n":1.50}}`;
    provider.enqueue(null, {
      status: 401,
      body: body.replace('KEY', upstreamKey),
      headers: { 'content-type': 'application/json' },
    });
    const answer = await postChat(stack.baseUrl, key, {
      model: 'openai/gpt-4o',
      messages: [{ role: 'user', content: 'hello' }],
    });
    expect(answer.status).toBe(401);
    expect(answer.text).toBe(body.replace('KEY', '[redacted]'));
    expect(answer.headers['x-svc-error-source']).toBe('provider');
    const row = await waitForRow(stack.baseUrl, key, requestIdOf(answer));
    expect(row).toMatchObject({ status: 'error', http_status: 401, error_code: 'provider_error' });
    expect(JSON.stringify(row)).not.toContain(upstreamKey);
  });

  it('a provider error raises the SDK’s own error with the retry time of the provider', async () => {
    const error = { message: 'Slow down.', type: 'requests', param: null, code: 'rate_limit_exceeded' };
    provider.enqueue(null, {
      status: 429,
      body: { error },
      headers: { 'content-type': 'application/json', 'retry-after': '7' },
    });
    const client = new OpenAI({ baseURL: `${stack.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
    const call = client.chat.completions.create({
      model: 'openai/gpt-4o',
      messages: [{ role: 'user', content: 'hello' }],
    });
    const raised = await call.then(() => null).catch((thrown: unknown) => thrown);
    expect(raised).toBeInstanceOf(OpenAI.RateLimitError);
    const { headers } = raised as InstanceType<typeof OpenAI.RateLimitError>;
    expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual(['7', '7000']);
  });
});
