import Anthropic from '@anthropic-ai/sdk';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import {
  bytesBeforeTextEnds,
  connectAnthropic,
  connectByXApiKey,
  plainMessages,
  streamedMessages,
  thoughtful,
  toMessagesTool,
} from './anthropic.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const hello = {
  model: 'anthropic/claude-sonnet-4-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'hello' }],
};

let provider: ReplayProvider;
let key: string;
let client: Anthropic;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  for (const name of ['anthropic', 'openai']) {
    const base_url = `${provider.url}/v1`;
    await connectProvider(baseUrl, key, { provider: name, api_key: 'upstream-key', base_url });
  }
  client = connectAnthropic(baseUrl, key);
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const received = () => provider.requests.at(-1)!;
const post = (body: unknown, path = '/v1/messages', apiKey = key) =>
  send(baseUrl, { path, key: apiKey, body });

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

it.each([
  ['a bearer token', connectAnthropic],
  ['x-api-key', connectByXApiKey],
])(
  'a messages request without streaming, with the key as %s, gets its response and a row in the request log',
  async (_how, connect) => {
    provider.enqueue(null, plainMessages(thoughtful));
    const call = connect(baseUrl, key).messages.create(hello);
    const { data, response } = await call.withResponse();
    expect(data).toMatchObject(JSON.parse(thoughtful) as object);
    expect(received()).toMatchObject({ url: '/v1/messages', headers: { 'x-api-key': 'upstream-key' } });
    expect(received().headers.authorization).toBeUndefined();
    expect(received().headers['anthropic-version']).toBe('2026-10-21');
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    expect(await waitForRow(baseUrl, key, response.headers.get('request-id')!)).toMatchObject({
      status: 'ok',
      provider: 'anthropic',
      format: 'messages',
    });
  },
);

it.each([1, 7, 1000])(
  'a messages stream returns reasoning and text correctly in chunks of %i bytes',
  async (chunkBytes) => {
    provider.enqueue(null, { ...streamedMessages(), chunkBytes, cutInsideCharacters: true });
    const message = await client.messages.stream(hello).finalMessage();
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'hmm', signature: 'EqQB+sig/nature==' },
        { type: 'text', text: 'Hello, ü🌍.' },
      ],
      stop_reason: 'end_turn',
      usage: { output_tokens: 20 },
    });
  },
);

it('a messages request with 117 tools is pruned, and every byte of earlier reasoning is kept', async () => {
  const weather = {
    name: 'get_weather',
    description: 'Get the current weather forecast for a city',
    input_schema: { type: 'object' },
  };
  const tools = [weather, ...githubTools.map(toMessagesTool)];
  const thinking = `{"type":"thinking" , "thinking":"h\\u006dm \\/ ü","signature":"Eq\\/B=="},{"data":"Em9w==","type":"redacted_thinking"}`;
  const turns = `[{"role":"user","content":"Get the current weather forecast for a city"},{"role":"assistant","content":[${thinking},{"type":"text","text":"Which?"}]},
    {"role":"user","content":"Get the current weather forecast for the city M\\u00fcnchen?"}]`;
  const body = `{"model":"anthropic/claude-sonnet-4-5","max_tokens":100,"messages":${turns},"tools":${JSON.stringify(tools)}}`;
  // The tool router has no cached vectors for the tools, so planning may miss its deadline.
  const names = await eventually(async () => {
    provider.enqueue(null, plainMessages(thoughtful));
    const answer = await post(body);
    expect(answer.text).toBe(thoughtful);
    const sent = received().body.toString();
    expect(sent).toContain(turns);
    const kept = (JSON.parse(sent) as { tools: Anthropic.Tool[] }).tools.map(({ name }) => name);
    return kept.length < tools.length ? kept : undefined;
  });
  expect(names).toContain('get_weather');
  expect(names.length).toBeLessThan(60);
});

/** The error codes for a connection that closes before the response. */
const connectionErrors = /^(?:ECONNRESET|UND_ERR_SOCKET)$/;

describe('errors are the SDK’s own', () => {
  it('the SDK raises its own errors for gateway errors: unknown key, unknown field, provider not connected', async () => {
    const stranger = connectAnthropic(baseUrl, `${key.slice(0, -1)}_`);
    expect(await thrownBy(stranger.messages.create(hello))).toBeInstanceOf(Anthropic.AuthenticationError);
    const cloud = await post({ ...hello, cloud_region_name: 'us-east-1' });
    expect(cloud.status).toBe(400);
    expect(cloud.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(cloud.text).toContain('cloud_region_name');
    const elsewhere = { ...hello, model: 'mistral/mistral-large-latest' };
    expect(await thrownBy(client.messages.create(elsewhere))).toBeInstanceOf(Anthropic.BadRequestError);
  });

  it('the SDK raises its own error for the gateway’s rate limit', async () => {
    const { apiKey } = await createTestAccount(stack);
    const slow = (await createTestKey(baseUrl, apiKey, { name: 'slow', rate_limit_rpm: 1 })).key;
    const limited = connectAnthropic(baseUrl, slow);
    await thrownBy(limited.messages.create(hello));
    expect(await thrownBy(limited.messages.create(hello))).toBeInstanceOf(Anthropic.RateLimitError);
  });

  it.each([
    [400, 'invalid_request_error', Anthropic.BadRequestError, 1],
    [401, 'authentication_error', Anthropic.AuthenticationError, 1],
    [403, 'permission_error', Anthropic.PermissionDeniedError, 1],
    [404, 'not_found_error', Anthropic.NotFoundError, 1],
    [429, 'rate_limit_error', Anthropic.RateLimitError, 3],
    [500, 'api_error', Anthropic.InternalServerError, 3],
    [529, 'overloaded_error', Anthropic.InternalServerError, 3],
  ])(
    'the SDK raises its own errors for provider errors: %i %s, with the expected attempts',
    async (status, type, thrown, attempts) => {
      const body = { type: 'error', error: { type, message: 'provider error' } };
      const headers = { 'content-type': 'application/json' };
      for (let at = 0; at < 3; at += 1) provider.enqueue(null, { status, body, headers, retryAfterMs: 10 });
      const error = await thrownBy(connectAnthropic(baseUrl, key, 2).messages.create(hello));
      expect(error).toBeInstanceOf(thrown);
      expect(error).toMatchObject({ status, error: body });
      expect(provider.requests).toHaveLength(attempts);
    },
  );

  it.each([
    [
      'contains an error event',
      streamedMessages(
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      ),
      { error: { error: { type: 'overloaded_error' } } },
    ],
    [
      'breaks',
      { ...streamedMessages(), resetAtByte: bytesBeforeTextEnds + 5 },
      { message: 'terminated', cause: { code: expect.stringMatching(connectionErrors) as string } },
    ],
  ])(
    'a stream that %s: the SDK returns the content before it, then raises one error',
    async (_what, answer, raised) => {
      provider.enqueue(null, answer);
      const stream = await client.messages.create({ ...hello, stream: true });
      let text = '';
      const read = async () => {
        for await (const event of stream) {
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
            text += event.delta.text;
          expect(event.type).not.toBe('message_stop');
        }
      };
      const error = await thrownBy(read());
      expect(text).toBe('Hello, ü🌍.');
      expect(error).toMatchObject(raised);
    },
  );
});

describe('counting tokens', () => {
  const counted = { model: hello.model, messages: hello.messages };

  it('tokens are counted by a provider with the client’s format, and the call is not logged', async () => {
    provider.enqueue(null, plainMessages({ input_tokens: 42 }));
    const { data, response } = await client.messages.countTokens(counted).withResponse();
    expect(data).toEqual({ input_tokens: 42 });
    expect(response.headers.get('x-svc-estimated')).toBeNull();
    expect(received().url).toBe('/v1/messages/count_tokens');
    expect(JSON.parse(received().body.toString())).toEqual({ ...counted, model: 'claude-sonnet-4-5' });
    provider.enqueue(null, plainMessages(thoughtful));
    await waitForRow(baseUrl, key, requestIdOf(await post(hello)));
    const path = `/v1/account/requests/${response.headers.get('request-id')!}`;
    expect((await send(baseUrl, { path, key })).status).toBe(404);
  });

  it('for a provider without token counting, the token count is an estimate and marked as an estimate', async () => {
    const messages = [{ role: 'user' as const, content: 'word '.repeat(1000) }];
    const call = client.messages.countTokens({ model: 'openai/gpt-4o', messages });
    const { data, response } = await call.withResponse();
    expect(response.headers.get('x-svc-estimated')).toBe('true');
    expect(data.input_tokens).toBeGreaterThan(1000);
    expect(data.input_tokens).toBeLessThan(1500);
    expect(provider.requests).toHaveLength(0);
  });

  it('counting tokens counts an image as an image, not by the number of its bytes', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'A'.repeat(1_000_000) };
    const messages = [{ role: 'user' as const, content: [{ type: 'image' as const, source }] }];
    const { input_tokens } = await client.messages.countTokens({ model: 'openai/gpt-4o', messages });
    expect(input_tokens).toBeLessThan(2000);
  });

  it('a translated stream starts with an estimate of the input tokens, and ends with the exact count', async () => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o' },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const usage = { prompt_tokens: 1007, completion_tokens: 1, total_tokens: 1008 };
    const chunks = [chunk({ content: 'Hi' }), chunk({}, 'stop'), { ...chunk({}), choices: [], usage }];
    const body = [...chunks.map((each) => JSON.stringify(each)), '[DONE]'].map((data) => `data: ${data}\n\n`);
    const headers = { 'content-type': 'text/event-stream' };
    provider.enqueue(null, { headers, body: body.join('') });
    const image = { type: 'base64' as const, media_type: 'image/png' as const, data: 'A'.repeat(1_000_000) };
    const content = [
      { type: 'text' as const, text: 'word '.repeat(1000) },
      { type: 'image' as const, source: image },
    ];
    const asked = { model: 'openai/gpt-4o', max_tokens: 100, messages: [{ role: 'user' as const, content }] };
    const counts: (number | null)[] = [];
    for await (const event of await client.messages.create({ ...asked, stream: true })) {
      if (event.type === 'message_start') counts.push(event.message.usage.input_tokens);
      if (event.type === 'message_delta') counts.push(event.usage.input_tokens);
    }
    expect(counts).toEqual([expect.any(Number), 1007]);
    // The estimated token count includes the 5,000 characters of text, but not the bytes of the image.
    expect(counts[0]).toBeGreaterThan(1000);
    expect(counts[0]).toBeLessThan(6000);
  });

  it('counting tokens returns the provider’s error', async () => {
    const body = { type: 'error', error: { type: 'not_found_error', message: 'model: x' } };
    provider.enqueue(null, { status: 404, body, headers: { 'content-type': 'application/json' } });
    const error = await thrownBy(client.messages.countTokens(counted));
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error).toMatchObject({ error: body });
  });

  it('a token count request requires a key and counts against the key’s rate limit', async () => {
    const path = '/v1/messages/count_tokens';
    expect((await send(baseUrl, { path, body: counted })).status).toBe(401);
    const { apiKey } = await createTestAccount(stack);
    const slow = (await createTestKey(baseUrl, apiKey, { name: 'slow', rate_limit_rpm: 1 })).key;
    await post(counted, path, slow);
    expect((await post(counted, path, slow)).status).toBe(429);
  });
});
