import type { FastifyInstance } from 'fastify';
import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources';
import { createSandbox } from './sandbox.ts';

let sandbox: FastifyInstance;
let client: OpenAI;

beforeAll(async () => {
  sandbox = createSandbox(() => 1_800_000_000_000);
  const address = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => sandbox.close());

const tool = (name: string, description: string, properties: object): ChatCompletionTool => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties, required: Object.keys(properties) },
  },
});
const tools = [
  tool('get_weather', 'Current weather of a city', { city: { type: 'string' } }),
  tool('create_issue', 'Opens an issue in a repository', {
    owner: { type: 'string' },
    repo: { type: 'string' },
    title: { type: 'string' },
  }),
  tool('list_issues', 'Lists the issues of a repository', {
    owner: { type: 'string' },
    repo: { type: 'string' },
  }),
];
const model = 'sandbox-1';
const ask = (content: string): ChatCompletionMessageParam[] => [{ role: 'user', content }];
const createIssue = ask('Create an issue in octo/hello with the title "Grüße 👋 fail"');

describe('a non-streaming response of the sandbox provider', () => {
  it('calls the matching tool with arguments from the message', async () => {
    const completion = await client.chat.completions.create({ model, messages: createIssue, tools });
    const [choice] = completion.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const [call] = choice?.message.tool_calls ?? [];
    if (call?.type !== 'function') throw new Error('no call');
    expect(call.function.name).toBe('create_issue');
    expect(JSON.parse(call.function.arguments)).toEqual({
      owner: 'octo',
      repo: 'hello',
      title: 'Grüße 👋 fail',
    });
    expect(completion.usage?.total_tokens).toBe(
      (completion.usage?.prompt_tokens ?? 0) + (completion.usage?.completion_tokens ?? 0),
    );
    expect(completion.usage?.prompt_tokens).toBeGreaterThan(50);
  });

  it('summarizes tool results instead of calling the tool again', async () => {
    const completion = await client.chat.completions.create({
      model,
      tools,
      messages: [
        ...ask('What is the weather in Paris?'),
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '18 °C, clear' },
      ],
    });
    expect(completion.choices[0]?.message.content).toBe('The result of get_weather is: 18 °C, clear');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
  });

  it('repeats the message if no tool matches or no tools are offered', async () => {
    for (const offered of [tools, []]) {
      const messages = ask('hello there');
      const completion = await client.chat.completions.create({ model, messages, tools: offered });
      expect(completion.choices[0]?.message.content).toBe('The sandbox heard: hello there');
    }
  });

  it('obeys the field tool_choice', async () => {
    const nameWith = async (choice: OpenAI.ChatCompletionToolChoiceOption, text: string) => {
      const messages = ask(text);
      const completion = await client.chat.completions.create({
        model,
        messages,
        tools,
        tool_choice: choice,
      });
      const [call] = completion.choices[0]?.message.tool_calls ?? [];
      return call?.type === 'function' ? call.function.name : undefined;
    };
    expect(await nameWith('none', 'create an issue')).toBeUndefined();
    expect(await nameWith('required', 'hello there')).toBe('get_weather');
    expect(await nameWith({ type: 'function', function: { name: 'list_issues' } }, 'weather')).toBe(
      'list_issues',
    );
  });

  it('stops at the limit max_completion_tokens', async () => {
    const messages = ask('a rather long sentence to be said back');
    const completion = await client.chat.completions.create({ model, messages, max_completion_tokens: 3 });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'The sandbox ' },
    });
  });

  it('calls a custom tool with the message, and reads the result of the call', async () => {
    const custom = { type: 'custom' as const, custom: { name: 'apply_patch', description: 'Edits files.' } };
    const messages = ask('Apply the patch "*** Add File: a.txt"');
    const called = await client.chat.completions.create({ model, messages, tools: [...tools, custom] });
    const { message } = called.choices[0]!;
    const [call] = message.tool_calls ?? [];
    expect(call).toMatchObject({
      ...{ type: 'custom', custom: { name: 'apply_patch', input: 'Apply the patch "*** Add File: a.txt"' } },
    });
    const result = { role: 'tool' as const, tool_call_id: call!.id, content: 'done' };
    const after = await client.chat.completions.create({ model, messages: [...messages, message, result] });
    expect(after.choices[0]?.message.content).toBe('The result of apply_patch is: done');
  });

  it('satisfies the schema of a structured response', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city', 'days'],
    };
    const messages = ask('The weather in Paris for 3 days');
    const answer = await client.chat.completions.create({
      ...{ model, messages },
      response_format: { type: 'json_schema', json_schema: { name: 'trip', schema } },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toMatchObject({
      city: expect.any(String) as string,
      days: 3,
    });
    const anyJson = await client.chat.completions.create({
      ...{ model, messages, response_format: { type: 'json_object' } },
    });
    expect(JSON.parse(anyJson.choices[0]?.message.content ?? '')).toEqual({
      text: expect.any(String) as string,
    });
  });

  it('is the same for each repetition of the request', async () => {
    const body = { model, messages: createIssue, tools };
    expect(await client.chat.completions.create(body)).toEqual(await client.chat.completions.create(body));
  });
});

describe('a streaming response of the sandbox provider', () => {
  async function streamOf(messages: ChatCompletionMessageParam[], includeUsage: boolean) {
    const stream = await client.chat.completions.create({
      model,
      messages,
      tools,
      stream: true,
      ...(includeUsage ? { stream_options: { include_usage: true } } : {}),
    });
    const chunks: ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  }

  it('splits a tool call into several pieces that add up to the complete tool call', async () => {
    const chunks = await streamOf(createIssue, true);
    const calls = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'create_issue' } });
    expect(calls.length).toBeGreaterThan(3);
    const plain = await client.chat.completions.create({ model, messages: createIssue, tools });
    const [call] = plain.choices[0]?.message.tool_calls ?? [];
    const streamed = calls.map((each) => each.function?.arguments ?? '').join('');
    expect(call?.type === 'function' && call.function.arguments).toBe(streamed);
    expect(call?.id).toBe(calls[0]?.id);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: plain.usage });
  });

  it('splits text into several pieces, and sends usage only on request', async () => {
    const chunks = await streamOf(ask('hello, wide world'), false);
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('The sandbox heard: hello, wide world');
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
  });

  it('ends with [DONE]', async () => {
    const payload = { model, messages: ask('hello'), stream: true };
    const response = await sandbox.inject({ method: 'POST', url: '/v1/chat/completions', payload });
    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(response.body.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('embeddings of the sandbox provider', () => {
  const embed = async (input: string | string[] | number[], rest: object = {}) => {
    const { data, usage } = await client.embeddings.create({ model, input, ...rest });
    return { vectors: data.map(({ embedding }) => embedding), usage };
  };
  const compare = (a: readonly number[] = [], b: readonly number[] = []): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

  it('texts with common words are more similar than texts without', async () => {
    const texts = ['Star the repository octo/hello', 'star a repository', 'the weather in Paris'];
    const { vectors, usage } = await embed(texts);
    const [first, second, third] = vectors;
    expect(first).toHaveLength(256);
    expect(compare(first, first)).toBeCloseTo(1, 5);
    expect(compare(first, second)).toBeGreaterThan(compare(first, third));
    expect(usage).toEqual({ prompt_tokens: 18, total_tokens: 18 });
  });

  it('the request sets the encoding and the dimensions, and may contain tokens', async () => {
    // The SDK requests base64 unless the request sets the encoding.
    const floats = await embed('hello there', { encoding_format: 'float', dimensions: 8 });
    const { vectors } = await embed('hello there', { dimensions: 8 });
    expect(vectors).toEqual(floats.vectors);
    expect(await embed([1, 2, 3])).toMatchObject({ usage: { prompt_tokens: 3 }, vectors: [{ length: 256 }] });
    expect((await embed('…')).vectors).toHaveLength(1);
  });

  it.each([
    [{ input: '' }, 400, 'input'],
    [{}, 400, 'input'],
    [{ input: 'x', dimensions: 0 }, 400, 'dimensions'],
    [{ input: 'x', model: 'text-embedding-3-small' }, 404, 'model'],
    [{ input: 'a '.repeat(20_000) }, 400, 'input'],
    [{ input: Array.from({ length: 100 }, () => 'a'.repeat(20_000)) }, 400, 'input'],
  ])('rejects an invalid request: %#', async (body, status, param) => {
    const payload = { model, ...body };
    const answer = await sandbox.inject({ method: 'POST', url: '/v1/embeddings', payload });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  it('explains a violated rule without the terms of the validator', async () => {
    const payload = { model, input: 'x', dimensions: 0 };
    const answer = await sandbox.inject({ method: 'POST', url: '/v1/embeddings', payload });
    expect(answer.json()).toMatchObject({ error: { message: "Invalid 'dimensions': must be at least 1" } });
  });
});

describe('the sandbox provider returns an error in the format of the OpenAI API', () => {
  const messages = [{ role: 'user', content: 'x' }];
  const cases: [string, unknown, number, string | null][] = [
    ['malformed JSON', '{"model":', 400, null],
    ['no messages', { model }, 400, 'messages'],
    ['an unknown role', { model, messages: [{ role: 'robot', content: 'x' }] }, 400, 'messages[0].role'],
    ['an unknown model', { model: 'gpt-9', messages }, 404, 'model'],
    ['a tool_choice without tools', { model, messages, tool_choice: 'required' }, 400, 'tool_choice'],
    ['two choices', { model, messages, n: 2 }, 400, 'n'],
    [
      'stream_options without stream',
      { model, messages, stream_options: { include_usage: true } },
      400,
      'stream_options',
    ],
    ['a null', null, 400, ''],
  ];
  it.each(cases)('for %s', async (_what, body, status, param) => {
    const response = await sandbox.inject({
      method: 'POST',
      url: '/v1/chat/completions',
      headers: { 'content-type': 'application/json' },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  it('for an unknown path, and for a body that is not JSON', async () => {
    expect((await sandbox.inject({ url: '/v2/nothing' })).json()).toMatchObject({
      error: { code: 'unknown_url' },
    });
    const headers = { 'content-type': 'text/plain' };
    const url = '/v1/chat/completions';
    expect((await sandbox.inject({ method: 'POST', url, headers, payload: 'x' })).statusCode).toBe(415);
  });
});

it('the sandbox provider lists its only model', async () => {
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual([model]);
  expect((await client.models.retrieve(model)).owned_by).toBe('sandbox');
  await expect(client.models.retrieve('gpt-9')).rejects.toMatchObject({ status: 404 });
});
