/** Tests the Responses API through OpenAI's SDK, with providers that use other formats. */
import type { PlannedFormat } from '@gateway/interchange';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import OpenAI from 'openai';
import type { Response, ResponseInput } from 'openai/resources/responses/responses';
import { createTestAccount, createTestKey, connectProvider } from './account.fixture.ts';
import { send } from './http.fixture.ts';
import { imageBase64 } from './pairs.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { renderTurn, scriptModel, type ModelTurn } from './scripted-model.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;

let provider: ReplayProvider;
let key: string;
let client: OpenAI;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  for (const [name, path] of [
    ['anthropic', '/v1'],
    ['mistral', '/v1'],
    ['hosted', ''],
  ] as const) {
    const base_url = provider.url + path;
    await connectProvider(baseUrl, key, { provider: name, api_key: 'upstream-key', base_url });
  }
  client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const lookUp: OpenAI.Responses.FunctionTool = {
  ...({ type: 'function', name: 'look_up', description: 'Looks up a city.', strict: false } as const),
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming;

function ask(request: Asked, stream: boolean): Promise<Response> {
  if (!stream) return client.responses.create(request);
  return client.responses.stream({ ...request, stream: true }).finalResponse();
}

const lastBody = (): Record<string, unknown> =>
  JSON.parse(provider.requests.at(-1)!.body.toString('utf8')) as Record<string, unknown>;

/** Each upstream format has one model. */
const upstreams: readonly (readonly [model: string, format: PlannedFormat])[] = [
  ['anthropic/claude-sonnet-4-5', 'messages'],
  ['mistral/mistral-large-latest', 'chat-completions'],
  ['hosted/anthropic.claude-sonnet-4-5-20250929-v1:0', 'converse'],
];

describe.each(upstreams)('a client of the Responses API with %s', (model) => {
  it.each([
    ['plain', false],
    ['streamed', true],
  ])('a client runs a loop of parallel tool calls, %s', async (_how, stream) => {
    const calls = ['Rome', 'Oslo'].map((city, at) => ({
      id: `call_${at}`,
      name: 'look_up',
      arguments: { city },
    }));
    scriptModel(provider, [
      { text: 'One moment.', calls },
      { text: 'Both are sunny.', inputTokens: 300 },
    ]);
    const input: ResponseInput = [{ role: 'user', content: 'Weather?' }];
    const request = { model, instructions: 'Be brief.', tools: [lookUp], max_output_tokens: 500 };
    const called = await ask({ ...request, input }, stream);
    expect([called.status, called.output_text, called.output.map(({ type }) => type)]).toEqual([
      ...['completed', 'One moment.'],
      ['message', 'function_call', 'function_call'],
    ]);
    const outputs = called.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: item.arguments }]
        : [],
    );
    const done = await ask(
      { ...request, input: [...input, ...(called.output as ResponseInput), ...outputs] },
      stream,
    );
    expect([done.output_text, done.usage]).toMatchObject([
      'Both are sunny.',
      { input_tokens: 300, output_tokens: 10, total_tokens: 310 },
    ]);
    const sent = JSON.stringify(lastBody());
    for (const text of ['Be brief.', 'Weather?', 'One moment.', 'Rome', 'Oslo', '500', 'Looks up a city.'])
      expect(sent).toContain(text);
  });
});

it.each([false, true])(
  'the built-in sandbox answers a client of the Responses API, and validates requests (stream: %j)',
  async (stream) => {
    const { status, output_text, usage } = await ask({ model: 'sandbox/sandbox-1', input: 'Hello!' }, stream);
    expect([status, output_text]).toEqual(['completed', 'The sandbox heard: Hello!']);
    expect(usage?.input_tokens).toBeGreaterThan(0);
  },
);

/** Makes the provider return the turn with signed reasoning, as Anthropic does. */
function think(turn: ModelTurn): void {
  const blocks = [{ kind: 'reasoning', text: 'Hm, Rome.', signature: 'EqQBCg==' }] as const;
  provider.setControls(({ body }) => {
    const isStream = (JSON.parse(body.toString('utf8')) as { stream?: boolean }).stream === true;
    return renderTurn('messages', turn, isStream, { style: 'blocks', blocks });
  });
}

it.each([false, true])(
  'signed reasoning of another format reaches the client, and returns to the provider (stream: %j)',
  async (stream) => {
    think({ text: 'Rome.' });
    const request = { model: 'anthropic/claude-sonnet-4-5', max_output_tokens: 2000 };
    const input: ResponseInput = [{ role: 'user', content: 'Where?' }];
    const first = await ask({ ...request, input }, stream);
    expect(first.output[0]).toMatchObject({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm, Rome.' }],
    });
    await ask(
      {
        ...request,
        input: [...input, ...(first.output as ResponseInput), { role: 'user', content: 'Sure?' }],
      },
      stream,
    );
    const messages = lastBody()['messages'] as { role: string; content: unknown }[];
    expect(messages.find(({ role }) => role === 'assistant')?.content).toEqual([
      { type: 'thinking', thinking: 'Hm, Rome.', signature: 'EqQBCg==' },
      { type: 'text', text: 'Rome.' },
    ]);
  },
);

it('the gateway translates structured output and images', async () => {
  scriptModel(provider, [{ text: '{}' }]);
  const format = { type: 'json_schema', name: 'city', schema: { type: 'object' }, strict: true } as const;
  const image = `data:image/png;base64,${imageBase64}`;
  const content = [
    { type: 'input_text' as const, text: 'Which city?' },
    { type: 'input_image' as const, image_url: image, detail: 'auto' as const },
  ];
  const request = { model: 'mistral/mistral-large-latest', text: { format } };
  await ask({ ...request, input: [{ role: 'user', content }] }, false);
  expect(lastBody()).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true } },
    messages: [
      {
        content: [
          { type: 'text', text: 'Which city?' },
          { type: 'image_url', image_url: { url: image } },
        ],
      },
    ],
  });
});

it('the client receives an incomplete response, and an error within a stream', async () => {
  scriptModel(provider, [
    { text: 'It is', ends: 'length' },
    { text: 'It is', breaks: true },
  ]);
  const request = { model: 'mistral/mistral-large-latest', input: 'Where?' };
  expect(await ask(request, false)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
  await expect(ask(request, true)).rejects.toThrow('Overloaded');
});

describe('a request that needs a stored response', () => {
  it.each([
    ['previous_response_id', 'resp_1'],
    ['conversation', 'conv_1'],
    ['background', true],
  ])('a request with %s is rejected if the provider stores no responses', async (param, value) => {
    const body = { model: 'anthropic/claude-sonnet-4-5', input: 'x', [param]: value };
    const answer = await send(baseUrl, { path: '/v1/responses', key, body });
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_field', param, message: expect.stringContaining(param) as string } },
    ]);
    expect(provider.requests).toHaveLength(0);
  });

  it('a request with a reference to a stored item is rejected', async () => {
    const input = [
      { role: 'user', content: 'Where?' },
      { type: 'item_reference', id: 'msg_1' },
      { role: 'user', content: 'Sure?' },
    ];
    const body = { model: 'anthropic/claude-sonnet-4-5', input };
    const answer = await send(baseUrl, { path: '/v1/responses', key, body });
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      {
        error: {
          ...{ code: 'invalid_field', param: 'input[1]' },
          message: expect.stringContaining('store: false') as string,
        },
      },
    ]);
    expect(provider.requests).toHaveLength(0);
  });
});

it('the gateway refuses a WebSocket with 405, and the connection stays usable', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const answer = await send(baseUrl, { method: 'GET', path: '/v1/responses', key, headers });
  expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
});
