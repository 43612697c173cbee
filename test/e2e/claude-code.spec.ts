/** Tests Claude Code's requirements for a gateway, with Anthropic's SDK and over plain HTTP. */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { connectAnthropic, connectByXApiKey, streamedMessages } from './anthropic.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const { baseUrl } = sharedStack();
let provider: ReplayProvider;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  key = (await createTestAccount(sharedStack())).apiKey;
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, key, { provider: 'anthropic', api_key: 'sk-ant-upstream', base_url });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const path = '/v1/messages?beta=true';
const headers = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'context-1m-2025-08-07,future-2027-01-01',
};
const body = {
  model: 'anthropic/claude-sonnet-4-5',
  max_tokens: 100,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=3.1' },
    { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
  ],
  messages: [{ role: 'user', content: 'Hello.' }],
  a_field_of_tomorrow: { kept: true },
};
const json = { 'content-type': 'application/json' };

it('HEAD /api/hello needs no key and has no body', async () => {
  const answer = await send(baseUrl, { method: 'HEAD', path: '/api/hello' });
  expect(answer).toMatchObject({ status: 200, text: '' });
});

describe('GET /v1/models', () => {
  it.each([
    ['the header anthropic-version', () => connectAnthropic(baseUrl, key)],
    ['the key in x-api-key', () => connectByXApiKey(baseUrl, key)],
  ])('the list of models has the format of Anthropic’s API for a client with %s', async (_how, connect) => {
    const { data, has_more, first_id, last_id } = await connect().models.list({ limit: 1000 });
    expect(data).toContainEqual({
      ...{ type: 'model', id: 'anthropic/claude-sonnet-4-5', display_name: 'claude-sonnet-4-5 (anthropic)' },
      created_at: expect.stringMatching(/^20\d\d-\d\d-\d\dT00:00:00Z$/) as string,
    });
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['svc/auto', 'svc/capable']));
    expect({ has_more, first_id, last_id }).toEqual({
      ...{ has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id },
    });
    const found = await connect().models.retrieve('anthropic/claude-sonnet-4-5');
    expect(found).toMatchObject({ type: 'model', display_name: 'claude-sonnet-4-5 (anthropic)' });
  });

  it('the list of models has OpenAI’s format for other clients', async () => {
    const answer = await send(baseUrl, { path: '/v1/models', key });
    expect(answer.json()).toMatchObject({ object: 'list' });
    const one = await send(baseUrl, { path: '/v1/models/svc/auto', key });
    expect(one.json()).toEqual({
      id: 'svc/auto',
      object: 'model',
      created: 0,
      owned_by: 'svc',
      kind: 'chat',
    });
  });
});

it('the provider receives betas, the version, system blocks and unknown fields unchanged', async () => {
  provider.enqueue(null, { ...streamedMessages(), status: 200 });
  await send(baseUrl, { path, key, headers, body: { ...body, stream: true } });
  const received = provider.requests.at(-1)!;
  expect(received.headers).toMatchObject(headers);
  const model = 'claude-sonnet-4-5';
  expect(JSON.parse(received.body.toString())).toEqual({ ...body, model, stream: true });
});

it('pings reach the client unchanged', async () => {
  const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
  const whole = streamedMessages();
  provider.enqueue(null, {
    ...whole,
    body: String(whole.body).replace('event: content', `${ping}event: content`),
  });
  const answer = await send(baseUrl, { path, key, headers, body: { ...body, stream: true } });
  expect(answer.text).toContain(ping);
});

it.each([
  [
    400,
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
  ],
  [413, 'Prompt is too long'],
  [529, 'Overloaded'],
])('the body of a %i is unedited, and retry-after is in whole seconds', async (status, message) => {
  const error = `{"type":"error", "error":{"type":"some_error","message":${JSON.stringify(message)}},"request_id":"req_1" }`;
  const limits = {
    'retry-after': '1.2',
    'x-should-retry': 'false',
    'anthropic-ratelimit-unified-status': 'allowed',
  };
  provider.enqueue(null, { status, body: error, headers: { ...json, ...limits } });
  const answer = await send(baseUrl, { path, key, headers, body });
  expect(answer).toMatchObject({ status, text: error });
  expect(answer.headers).toMatchObject({ ...limits, 'retry-after': '2', 'retry-after-ms': '1200' });
});
