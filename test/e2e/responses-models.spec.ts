/**
 * Tests models that accept tools only on the Responses API, for clients that use other formats. The scripted
 * provider rejects requests that OpenAI would reject.
 */
import type { PlannedFormat } from '@gateway/interchange';
import { sharedStack, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import { createTestAccount, createTestKey, connectProvider } from './account.fixture.ts';
import { openAgent } from './agent-clients.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider, plainAnswer } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const model = 'openai/gpt-6.2-sol';

let provider: ReplayProvider;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
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
const callOf = (at: number, name: string | undefined): Members => ({
  ...{ id: `fc_${at}`, type: 'function_call', status: 'completed', call_id: `call_${at}`, name },
  arguments: `{"at":${at}}`,
});
const messageOf = (text: string): Members => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer' },
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
const usage = {
  ...{ input_tokens: 1000, input_tokens_details: { cached_tokens: 640 } },
  ...{ output_tokens: 50, output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 1050 },
};

function responseOf(output: readonly Members[], given: Members = {}): Members {
  const head = { id: 'resp_1', object: 'response', created_at: 1_795_000_000, model: 'gpt-6.2-sol' };
  return { ...head, status: 'completed', error: null, incomplete_details: null, output, usage, ...given };
}

/** Returns the stream events that OpenAI sends for a response. */
function eventsOf(response: Members): Members[] {
  const started = { ...response, status: 'in_progress', output: [], usage: null };
  const items = (response['output'] as Members[]).flatMap((item, output_index): Members[] => {
    const place = { output_index, item_id: item['id'] };
    const [part] = (item['content'] ?? []) as { text: string }[];
    const deltas: Members[] =
      item['type'] === 'function_call'
        ? (String(item['arguments']).match(/./g) ?? []).map((delta) => ({
            ...{ type: 'response.function_call_arguments.delta', ...place, delta },
          }))
        : (part?.text.split(/(?<= )/) ?? []).map((delta) => ({
            ...{ type: 'response.output_text.delta', ...place, content_index: 0, delta },
          }));
    const empty = { ...item, status: 'in_progress', arguments: '', content: [], encrypted_content: '' };
    return [
      { type: 'response.output_item.added', output_index, item: empty },
      ...deltas,
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  const end = { type: `response.${String(response['status'])}`, response };
  return [{ type: 'response.created', response: started }, ...items, end];
}

const json = { 'content-type': 'application/json' };

function answerWith(response: Members, isStream: boolean): ReplayControls {
  if (!isStream) return { status: 200, headers: json, body: response };
  const frames = eventsOf(response).map(
    (event, at) =>
      `event: ${String(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
  );
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: frames.join('') };
}

/**
 * Returns the error message with which OpenAI would reject the request. Returns undefined for a valid
 * request.
 */
function findViolation(url: string, body: Members): string | undefined {
  if (url !== '/v1/responses') return `Function tools are not supported in ${url}. Use /v1/responses.`;
  if (body['store'] !== false) return 'the response would be stored';
  const known = ['model', 'input', 'tools', 'tool_choice', 'stream', 'store', 'include', 'reasoning', 'text'];
  const taken = [...known, 'max_output_tokens', 'parallel_tool_calls', 'prompt_cache_key', 'service_tier'];
  const unknown = Object.keys(body).filter((name) => !taken.includes(name));
  if (unknown.length > 0) return `Unknown parameter: '${unknown[0] ?? ''}'.`;
  const calls = new Set<unknown>();
  for (const item of body['input'] as Members[]) {
    if (item['type'] === 'function_call') calls.add(item['call_id']);
    if (item['type'] === 'function_call_output' && !calls.has(item['call_id']))
      return `No tool call found for function call output with call_id ${String(item['call_id'])}.`;
  }
  const isLoose = (body['tools'] as Members[]).some(
    ({ type, strict }) => type === 'function' && typeof strict !== 'boolean',
  );
  return isLoose ? 'a function without `strict` is strict, and its schema is not' : undefined;
}

/** Sends the responses in order, one per request. */
function script(...responses: readonly Members[]): void {
  const left = [...responses];
  provider.setControls(({ url, body }) => {
    const asked = JSON.parse(body.toString('utf8')) as Members;
    const message = findViolation(url, asked);
    const next = left.shift();
    if (message !== undefined || next === undefined)
      return { status: 400, headers: json, body: { error: { message, type: 'invalid_request_error' } } };
    return answerWith(next, asked['stream'] === true);
  });
}

const lastBody = (): Members => JSON.parse(provider.requests.at(-1)!.body.toString('utf8')) as Members;

describe.each<PlannedFormat>(['chat-completions', 'messages', 'converse'])('a client of %s', (format) => {
  it.each([
    ['plain', false],
    ['streamed', true],
  ])(
    'runs a tool loop with a model that accepts tools only on the Responses API, %s',
    async (_how, stream) => {
      script(
        responseOf([reasoning, callOf(1, first), callOf(2, second)]),
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
      // The chat-completions format has no field for encrypted reasoning of the provider.
      const carried = format === 'chat-completions' ? [] : ['reasoning'];
      expect(items.map(({ type, role }) => type ?? role)).toEqual([
        'user',
        ...carried,
        'function_call',
        'function_call',
        'function_call_output',
        'function_call_output',
      ]);
      const thought = items.find(({ type }) => type === 'reasoning');
      if (thought) expect(thought).toMatchObject({ summary: [], encrypted_content: encrypted });
    },
  );
});

const ask = (body: Members, path = '/v1/chat/completions') =>
  send(baseUrl, { path, key, body: { model, messages: [{ role: 'user', content: 'Hello.' }], ...body } });

it('can use the settings of chat-completions that both of OpenAI’s APIs have', async () => {
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

it('requests that the model accepts on chat-completions stay on chat-completions', async () => {
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

it('failures of a response are returned as errors in the client’s format', async () => {
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
