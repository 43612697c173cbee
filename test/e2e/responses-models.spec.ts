/**
 * Tests clients of other formats with models that accept tools only through the Responses API. The test
 * provider rejects requests that OpenAI would reject.
 */
import type { PlannedFormat } from '@gateway/interchange';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount, createTestKey, waitForRow } from './account.fixture.ts';
import { openAgent } from './agent-clients.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import {
  callOf,
  findViolation,
  json,
  messageOf,
  renderResponse,
  responseOf,
} from './openai-responses.fixture.ts';
import { startProvider, plainAnswer } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const model = 'openai/gpt-6.2-sol';

let provider: ReplayProvider;
let apiKey: string;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  ({ apiKey } = await createTestAccount(stack));
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, key, { provider: 'openai', api_key: 'upstream-key', base_url });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

type Members = Record<string, unknown>;

const encrypted = 'gAAAAABqPBGr-encrypted_reasoning==';
const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: encrypted };
/** A tool list that is too short to prune. */
const tools = githubTools.slice(0, 2);
const [first, second] = tools.map((tool) => tool.function.name);
/** Makes the provider return the responses in order, one per request. */
function script(...responses: readonly Members[]): void {
  const left = [...responses];
  provider.setControls(({ url, body }) => {
    const asked = JSON.parse(body.toString('utf8')) as Members;
    const message = findViolation(url, asked);
    const next = left.shift();
    if (message !== undefined || next === undefined)
      return { status: 400, headers: json, body: { error: { message, type: 'invalid_request_error' } } };
    return renderResponse(next, asked['stream'] === true);
  });
}

const lastBody = (): Members => JSON.parse(provider.requests.at(-1)!.body.toString('utf8')) as Members;

describe.each<PlannedFormat>(['chat-completions', 'messages', 'converse'])('a client of %s', (format) => {
  it.each([
    ['plain', false],
    ['streamed', true],
  ])(
    'a client runs a tool loop with a model that accepts tools only on the Responses API, %s',
    async (_how, stream) => {
      script(
        responseOf([reasoning, callOf('call_1', first!, '{"at":1}'), callOf('call_2', second!, '{"at":2}')]),
        responseOf([messageOf('It is done now.')]),
      );
      const agent = openAgent(format, { baseUrl, key, model });
      const user = agent.user('List the open issues.');
      const called = await agent.ask([user], { stream, tools });
      expect([called.status, called.calls.map(({ id, name }) => [id, name])]).toEqual([
        200,
        [
          ['call_1', first],
          ['call_2', second],
        ],
      ]);
      expect(called.header('x-svc-losses')).toBeNull();
      const results = agent.results(called, 'three issues');
      const done = await agent.ask([user, called.message, ...results], { stream, tools });
      expect([done.status, done.said]).toEqual([200, 'It is done now.']);
      const items = lastBody()['input'] as Members[];
      expect(items.map(({ type, role }) => type ?? role)).toEqual([
        'user',
        'reasoning',
        'function_call',
        'function_call',
        'function_call_output',
        'function_call_output',
      ]);
      const thought = items.find(({ type }) => type === 'reasoning');
      expect(thought).toMatchObject({ summary: [], encrypted_content: encrypted });
    },
  );
});

describe.each<PlannedFormat>(['chat-completions', 'messages', 'converse'])(
  'a client of %s uses a model that only the Responses API serves',
  (format) => {
    it.each([
      ['without tools', {}],
      ['with tools', { tools }],
      ['streamed', { stream: true }],
    ])('%s', async (_how, given) => {
      script(responseOf([reasoning, messageOf('It is done now.')], { model: 'gpt-5.3-codex' }));
      const agent = openAgent(format, { baseUrl, key, model: 'openai/gpt-5.3-codex' });
      const done = await agent.ask([agent.user('List the open issues.')], { stream: false, ...given });
      expect([done.status, done.said, done.header('x-svc-losses')]).toEqual([200, 'It is done now.', null]);
      expect([provider.requests.at(-1)!.url, lastBody()['model']]).toEqual([
        '/v1/responses',
        'gpt-5.3-codex',
      ]);
      // 1,000 input tokens, 640 of them cached, and 50 output tokens at the prices of the catalogue.
      const row = await waitForRow(baseUrl, apiKey, done.header('x-request-id') ?? '');
      expect(row).toMatchObject({ provider: 'openai', model: 'gpt-5.3-codex', status: 'ok' });
      expect(row.cost_usd).toBeCloseTo((360 * 1.75 + 640 * 0.175 + 50 * 14) / 1e6, 9);
    });
  },
);

const ask = (body: Members, path = '/v1/chat/completions') =>
  send(baseUrl, { path, key, body: { model, messages: [{ role: 'user', content: 'Hello.' }], ...body } });

it('a client can use each chat-completions setting that the Responses API also has', async () => {
  script(responseOf([messageOf('{}')]));
  const format = { name: 'city', schema: { type: 'object' }, strict: true };
  const grammar = { syntax: 'lark', definition: 'start: "a"' };
  const custom = { type: 'custom', custom: { name: 'write', format: { type: 'grammar', grammar } } };
  const answer = await ask({
    ...{ tools: [...tools, custom], reasoning_effort: 'high', max_completion_tokens: 500, verbosity: 'low' },
    ...{ service_tier: 'flex', parallel_tool_calls: false, prompt_cache_key: 'mine' },
    response_format: { type: 'json_schema', json_schema: format },
  });
  expect([answer.status, answer.headers['x-svc-losses']]).toEqual([200, undefined]);
  expect(lastBody()).toMatchObject({
    ...{ model: 'gpt-6.2-sol', reasoning: { effort: 'high' }, max_output_tokens: 500, service_tier: 'flex' },
    ...{ parallel_tool_calls: false, prompt_cache_key: 'mine', include: ['reasoning.encrypted_content'] },
    text: { verbosity: 'low', format: { type: 'json_schema', ...format } },
    tools: expect.arrayContaining([
      { type: 'custom', name: 'write', format: { type: 'grammar', ...grammar } },
    ]) as unknown,
  });
  expect(answer.json()).toMatchObject({
    object: 'chat.completion',
    usage: {
      ...{ prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 640 } },
      completion_tokens_details: { reasoning_tokens: 20 },
    },
  });
});

it('a request that the model accepts on chat-completions is sent to chat-completions', async () => {
  provider.setControls(plainAnswer);
  for (const body of [{}, { model: 'openai/gpt-5.6-sol', tools, reasoning_effort: 'none' }]) {
    expect((await ask(body)).status).toBe(200);
    expect(provider.requests.at(-1)!.url).toBe('/v1/chat/completions');
  }
});

it('an incomplete response ends with the stop reason in the client’s format', async () => {
  const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  script(responseOf([messageOf('It is')], cut), responseOf([messageOf('It is')], cut));
  const plain = await ask({ tools });
  expect(plain.json()).toMatchObject({
    choices: [{ finish_reason: 'length', message: { content: 'It is' } }],
  });
  expect((await ask({ tools, stream: true })).text).toContain('"finish_reason":"length"');
});

it('a failed response is returned as an error in the client’s format', async () => {
  const error = { code: 'server_error', message: 'The model failed.' };
  const failed = responseOf([], { status: 'failed', error, usage: null });
  script(failed, failed);
  expect((await ask({ tools, stream: true })).text).toContain('The model failed.');
  const plain = await ask({ tools });
  expect(plain.status).toBeGreaterThanOrEqual(400);
  expect(plain.json()).toMatchObject({
    error: { message: expect.stringContaining('The model failed.') as string },
  });
});

it('a rejected request is returned as an error in the client’s format', async () => {
  const rejection = { message: 'Invalid schema.', type: 'invalid_request_error', param: 'tools', code: null };
  provider.setControls({ status: 400, headers: json, body: { error: rejection } });
  const body = { max_tokens: 100, tools: [{ name: 'look_up', input_schema: { type: 'object' } }] };
  const answer = await ask(body, '/v1/messages');
  expect([answer.status, answer.json()]).toEqual([
    400,
    expect.objectContaining({
      type: 'error',
      error: expect.objectContaining({ message: 'Invalid schema.' }) as object,
    }),
  ]);
});
