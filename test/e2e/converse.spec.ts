import { once } from 'node:events';
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2';
import * as bedrock from '@aws-sdk/client-bedrock-runtime';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import {
  connectBedrock,
  converseError,
  plainConverse,
  readConverseStream,
  said,
  streamedConverse,
  streamedEvents,
} from './bedrock.fixture.ts';
import { connectProvider, createTestAccount, createTestKey, waitForRow } from './account.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const messages: bedrock.Message[] = [{ role: 'user', content: [{ text: 'hello' }] }];
const hello = { modelId: `hosted/${model}`, messages };

let provider: ReplayProvider;
let key: string;
let client: bedrock.BedrockRuntimeClient;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectProvider(baseUrl, key, {
    provider: 'hosted',
    api_key: 'upstream-key',
    base_url: provider.url,
  });
  client = connectBedrock(baseUrl, key);
});
afterEach(() => provider.reset());
afterAll(async () => {
  client.destroy();
  await provider.close();
});

const received = () => provider.requests.at(-1)!;

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Sends a request over plain HTTP, without an SDK. Returns the raw status and body of the response. */
const post = (body: unknown, model_ = hello.modelId, path = 'converse') =>
  send(baseUrl, { path: `/model/${encodeURIComponent(model_)}/${path}`, key, body });

it('a converse request without streaming gets its response over HTTP/2, and the request log has the request', async () => {
  provider.enqueue(null, plainConverse(said));
  const answer = await client.send(new bedrock.ConverseCommand(hello));
  expect(answer).toMatchObject(said);
  expect(received().url).toBe(`/model/${encodeURIComponent(model)}/converse`);
  expect(received().headers.authorization).toBe('Bearer upstream-key');
  expect(JSON.parse(received().body.toString())).toEqual({ messages });
  expect(await waitForRow(baseUrl, key, answer.$metadata.requestId!)).toMatchObject({
    status: 'ok',
    provider: 'hosted',
    model,
    stream: false,
  });
});

it.each([1, 7, 1000])(
  'a converse stream is returned correctly if it arrives in chunks of %i bytes',
  async (chunkBytes) => {
    provider.enqueue(null, { ...streamedConverse(streamedEvents), chunkBytes });
    const answer = await client.send(new bedrock.ConverseStreamCommand(hello));
    const { text, events, thrown } = await readConverseStream(answer.stream);
    expect(thrown).toBeUndefined();
    expect(text).toBe('Hello, ü🌍.');
    expect(events.at(-1)).toMatchObject({ metadata: { usage: { totalTokens: 12 } } });
    expect(received().url).toBe(`/model/${encodeURIComponent(model)}/converse-stream`);
    const row = await waitForRow(baseUrl, key, answer.$metadata.requestId!);
    expect(row).toMatchObject({ status: 'ok', stream: true });
  },
);

it('converse tool calls are forwarded, and 117 tools are pruned', async () => {
  const content = [
    { text: 'I look.' },
    {
      toolUse: {
        toolUseId: 'tooluse_1',
        name: 'get_weather',
        input: { city: 'München', n: 1, deep: { a: [] } },
      },
    },
  ];
  const output = { message: { role: 'assistant', content } };
  const weather = { name: 'get_weather', description: 'Get the current weather forecast for a city' };
  const offered = [
    { ...weather, parameters: { type: 'object' } },
    ...githubTools.map((tool) => tool.function),
  ];
  const tools = offered.map(({ name, description, parameters }) => ({
    toolSpec: { name, description, inputSchema: { json: parameters } },
  })) as bedrock.Tool[];
  const question = 'Get the current weather forecast for the city München?';
  const ask: bedrock.Message[] = [{ role: 'user', content: [{ text: question }] }];
  // The tool router has no cached vectors for the tools, so planning may miss its deadline.
  const names = await eventually(async () => {
    provider.enqueue(null, plainConverse({ ...said, output, stopReason: 'tool_use' }));
    const command = new bedrock.ConverseCommand({ ...hello, messages: ask, toolConfig: { tools } });
    expect(await client.send(command)).toMatchObject({ output, stopReason: 'tool_use' });
    const sent = JSON.parse(received().body.toString()) as { toolConfig: { tools: bedrock.Tool[] } };
    const kept = sent.toolConfig.tools.map(({ toolSpec }) => toolSpec?.name);
    return kept.length < tools.length ? kept : undefined;
  });
  expect(names).toContain('get_weather');
  expect(names.length).toBeLessThan(60);
});

describe('a model in the path', () => {
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-v1:0';
  it.each([
    ['an ARN', arn, arn],
    ['an ARN after its provider', `hosted/${arn}`, arn],
    ['an unknown id with a colon', 'acme.unheard-of-v9:1', 'acme.unheard-of-v9:1'],
  ])('the model %s in the path reaches the provider unchanged', async (_what, modelId, expected) => {
    provider.enqueue(null, plainConverse(said));
    await client.send(new bedrock.ConverseCommand({ ...hello, modelId }));
    expect(received().url).toBe(`/model/${encodeURIComponent(expected)}/converse`);
  });
});

describe('unknown fields', () => {
  it.each([
    ['bogus', { messages, bogus: 1 }],
    ['stream', { messages, stream: true }],
    ['cloud_access_key_id', { messages, cloud_access_key_id: 'AKIA' }],
    ['cloud_region_name', { messages, cloud_region_name: 'us-east-1' }],
  ])('%s: the error has status 400 and names the unknown field', async (name, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.headers['x-amzn-errortype']).toMatch(/^ValidationException/);
    expect((answer.json() as { message: string }).message).toContain(name);
    expect(provider.requests).toHaveLength(0);
  });
});

describe('errors are the SDK’s own exceptions', () => {
  it('the SDK raises its own exceptions for gateway errors: unknown key, invalid request, provider not connected', async () => {
    const stranger = connectBedrock(baseUrl, `${key.slice(0, -1)}_`);
    expect(await thrownBy(stranger.send(new bedrock.ConverseCommand(hello)))).toBeInstanceOf(
      bedrock.AccessDeniedException,
    );
    stranger.destroy();
    const answersNothing = [{ toolResult: { toolUseId: 'never-called', content: [] } }];
    const unbalanced: bedrock.Message[] = [{ role: 'user', content: answersNothing }];
    const invalid = new bedrock.ConverseCommand({ ...hello, messages: unbalanced });
    expect(await thrownBy(client.send(invalid))).toBeInstanceOf(bedrock.ValidationException);
    const unknown = new bedrock.ConverseCommand({ ...hello, modelId: 'openai/gpt-4o' });
    expect(await thrownBy(client.send(unknown))).toBeInstanceOf(bedrock.ValidationException);
  });

  it('the SDK raises its own exception for the gateway’s rate limit', async () => {
    const { apiKey } = await createTestAccount(stack);
    const slow = (await createTestKey(baseUrl, apiKey, { name: 'slow', rate_limit_rpm: 1 })).key;
    const limited = connectBedrock(baseUrl, slow);
    await thrownBy(limited.send(new bedrock.ConverseCommand(hello)));
    expect(await thrownBy(limited.send(new bedrock.ConverseCommand(hello)))).toBeInstanceOf(
      bedrock.ThrottlingException,
    );
    limited.destroy();
  });

  it.each([
    [400, 'ValidationException', 1],
    [403, 'AccessDeniedException', 1],
    [404, 'ResourceNotFoundException', 1],
    [408, 'ModelTimeoutException', 1],
    [424, 'ModelErrorException', 1],
    [429, 'ThrottlingException', 2],
    [500, 'InternalServerException', 2],
    [503, 'ServiceUnavailableException', 2],
  ] as const)(
    'the SDK raises its own exceptions for provider errors: %i %s, %i of 2 attempts',
    async (status, name, attempts) => {
      provider.enqueue(null, converseError(status, name));
      provider.enqueue(null, converseError(status, name));
      const retrying = connectBedrock(baseUrl, key, 2);
      const thrown = await thrownBy(retrying.send(new bedrock.ConverseCommand(hello)));
      retrying.destroy();
      expect(thrown).toMatchObject({ name, message: 'provider error' });
      expect(thrown).toBeInstanceOf(bedrock[name]);
      expect(provider.requests).toHaveLength(attempts);
    },
  );

  it('an error inside a stream: the SDK returns the received content, then raises the provider’s exception', async () => {
    const exception = ['throttlingException', { message: 'too many' }] as const;
    provider.enqueue(null, streamedConverse(streamedEvents.slice(0, 3), exception));
    const { stream } = await client.send(new bedrock.ConverseStreamCommand(hello));
    const { text, thrown } = await readConverseStream(stream);
    expect(text).toBe('Hello, ü🌍.');
    expect(thrown).toBeInstanceOf(bedrock.ThrottlingException);
  });

  it('an interrupted stream: the SDK returns the content before the cut and raises a connection error; the log has the status truncated', async () => {
    const answer = streamedConverse(streamedEvents);
    const before = streamedConverse(streamedEvents.slice(0, 3)).body as Buffer;
    provider.enqueue(null, { ...answer, resetAtByte: before.length + 20 });
    const { stream, $metadata } = await client.send(new bedrock.ConverseStreamCommand(hello));
    const { text, events, thrown } = await readConverseStream(stream);
    expect(text).toBe('Hello, ü🌍.');
    expect(events.some(({ messageStop }) => messageStop !== undefined)).toBe(false);
    expect(thrown).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
    expect(await waitForRow(baseUrl, key, $metadata.requestId!)).toMatchObject({ status: 'truncated' });
  });
});

it('the gateway cancels the provider’s stream when a client closes that stream but keeps its connection', async () => {
  const first = (streamedConverse(streamedEvents.slice(0, 2)).body as Buffer).length;
  provider.enqueue(null, { ...streamedConverse(streamedEvents), hang: first });
  const session = connectHttp2(baseUrl);
  const stream = session.request({
    ':method': 'POST',
    ':path': `/model/${encodeURIComponent(hello.modelId)}/converse-stream`,
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  });
  stream.end(JSON.stringify({ messages }));
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  stream.close(constants.NGHTTP2_CANCEL);
  const row = await waitForRow(baseUrl, key, String(headers['x-request-id']));
  expect(row).toMatchObject({ status: 'cancelled', error_code: null });
  expect(received().ended).toBe('client-left');
  session.close();
});
