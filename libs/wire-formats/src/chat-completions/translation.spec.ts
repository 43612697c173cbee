import { foldAnswer } from '@gateway/interchange';
import type { ChatMessage, ChatRequest, StreamEvent } from '@gateway/interchange';
import { scanJson } from '../json/scan-json.ts';
import { formatNamed, providerFormatNamed } from '../formats.ts';

const { client, provider } = formatNamed('chat-completions');

const request = (changes: Partial<ChatRequest>): ChatRequest => ({
  model: 'm',
  messages: [],
  tools: [],
  toolChoice: { mode: 'unset' },
  settings: {},
  stream: false,
  streamsUsage: false,
  ...changes,
});
const render = (changes: Partial<ChatRequest>) => provider.renderRequest(request(changes), { model: 'm' });
const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } } as const;

describe('a request from another format', () => {
  it.each([
    [true, { stream: true, stream_options: { include_usage: true } }],
    [false, {}],
  ])('requests token usage in a stream, and only there (stream: %j)', (stream, sent) => {
    const { body } = render({ stream, streamsUsage: true });
    expect(body).toEqual({ model: 'm', messages: [], ...sent });
  });

  it("puts tool messages before the turn's other content", () => {
    const turn: ChatMessage = {
      role: 'user',
      parts: [
        { type: 'tool-result', callId: 'a', parts: [{ type: 'text', text: 'x' }, image] },
        { type: 'tool-result', callId: 'b', parts: [], isError: true },
        { type: 'text', text: 'go on' },
      ],
    };
    const { body, losses } = render({ messages: [turn] });
    expect(body.messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
    expect(losses).toEqual([{ field: 'messages[0].is_error', reason: expect.any(String) }]);
  });

  it('reports every loss, and reports no loss for fields that are kept', () => {
    const { body, losses } = render({
      settings: { maxOutputTokens: 5, temperature: 0, topK: 3, stopSequences: ['x'] },
      extensions: { messages: { thinking: {} } },
      messages: [
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 't', signature: 's' },
            { type: 'text', text: 'a' },
            { type: 'tool-call', id: 'c', name: 'f', kind: 'function', argumentsText: '{}' },
          ],
        },
        { role: 'user', parts: [{ type: 'opaque', extensions: { messages: { part: {} } } }] },
      ],
      tools: [{ kind: 'built-in', extensions: { messages: { type: 'web_search' } } }],
      toolChoice: { mode: 'required' },
    });
    expect(losses.map(({ field }) => field).sort()).toEqual([
      'messages[0].thinking',
      'messages[1].opaque',
      'thinking',
      'tools[0]',
      'top_k',
    ]);
    expect(body).toEqual({
      model: 'm',
      max_completion_tokens: 5,
      temperature: 0,
      stop: ['x'],
      messages: [
        {
          role: 'assistant',
          content: 'a',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'user', content: [] },
      ],
    });
  });

  it('sets the output limit in the field that the provider accepts', () => {
    const options = { model: 'm', maxTokensField: 'max_tokens' } as const;
    const { body } = provider.renderRequest(request({ settings: { maxOutputTokens: 5 } }), options);
    expect(body).toMatchObject({ max_tokens: 5 });
  });

  it('identifies the forced tool by the kind of tool', () => {
    const tools = [
      { kind: 'custom', name: 'c' },
      { kind: 'function', name: 'f', parameters: { type: 'object' } },
    ] as const;
    const choiceOf = (name: string) => render({ tools, toolChoice: { mode: 'tool', name } }).body.tool_choice;
    expect(choiceOf('c')).toEqual({ type: 'custom', custom: { name: 'c' } });
    expect(choiceOf('f')).toEqual({ type: 'function', function: { name: 'f' } });
  });
});

describe("a seed in Mistral's field", () => {
  const parsed = client.parseRequest(
    scanJson(Buffer.from('{"model":"m","messages":[],"random_seed":7}'), { depthMax: 8 }),
  );

  it("a seed in Mistral's field becomes the seed in every format that has a seed", () => {
    expect(parsed.settings).toEqual({ seed: 7 });
    expect(providerFormatNamed('cohere').provider.renderRequest(parsed, { model: 'm' }).losses).toEqual([]);
  });

  it("a seed in Mistral's field stays in this field for a provider that uses the same format", () => {
    const { body } = provider.renderRequest(parsed, { model: 'm' });
    expect(body).toEqual({ model: 'm', messages: [], random_seed: 7 });
  });
});

/** A response from a provider that uses another format. */
const foreignAnswer: StreamEvent[] = [
  { type: 'message-start', format: 'messages', id: 'msg_1' },
  { type: 'thinking-start', choice: 0, block: 0 },
  { type: 'thinking-delta', choice: 0, block: 0, text: 'hm' },
  { type: 'thinking-end', choice: 0, block: 0, signature: 's' },
  { type: 'text-start', choice: 0, block: 1, extensions: { messages: { citations: [] } } },
  { type: 'text-delta', choice: 0, block: 1, text: 'line\n\ndata: forged' },
  { type: 'text-end', choice: 0, block: 1 },
  { type: 'tool-call-start', choice: 0, block: 2, id: 'toolu_1', name: 'f', kind: 'function' },
  { type: 'tool-call-delta', choice: 0, block: 2, argumentsText: '{}' },
  { type: 'tool-call-end', choice: 0, block: 2 },
  { type: 'extension', scope: 'answer', choice: 0, extensions: { messages: { container: 1 } } },
  { type: 'usage', usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 } },
  { type: 'finish', choice: 0, reason: 'tool-calls', rawReason: 'tool_use' },
  { type: 'message-end' },
];
const defaults = { id: 'default', model: 'claude', createdAt: 7 };
const usage = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 1 },
};

describe('a response from another format', () => {
  it("a response from another format is rendered as a non-streaming response with the target format's fields", () => {
    expect(client.renderResponse(foldAnswer(foreignAnswer), defaults)).toEqual({
      id: 'msg_1',
      object: 'chat.completion',
      created: 7,
      model: 'claude',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'line\n\ndata: forged',
            reasoning_content: 'hm',
            tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage,
    });
  });

  it('a response from another format is rendered as a stream with the same content, with usage only on request', () => {
    const streamed = (includesUsage: boolean): string => {
      const renderer = client.openStreamRenderer({ ...defaults, includesUsage });
      return foreignAnswer.map((event) => Buffer.from(renderer.render(event)).toString()).join('');
    };
    const parser = provider.openStreamParser();
    const events = [...parser.push(Buffer.from(streamed(true))), ...parser.end()];
    const sum = client.renderResponse(foldAnswer(events), defaults);
    expect(sum).toEqual(client.renderResponse(foldAnswer(foreignAnswer), defaults));
    expect(streamed(true)).toMatch(/data: \[DONE\]\n\n$/);
    expect(streamed(false)).not.toContain('usage');
    expect(streamed(false)).not.toContain('container');
  });
});

describe('errors', () => {
  const error = {
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: 'slow\ndown',
    param: null,
    source: 'gateway',
  } as const;

  it("errors have the endpoint's shape and contain the request id", () => {
    const rendered = client.renderError(error, 'id-1');
    const { type, code, message, param, source } = error;
    expect(rendered.status).toBe(429);
    expect(JSON.parse(rendered.body)).toEqual({
      error: { type, code, message, param, source },
      request_id: 'id-1',
    });
  });

  it('errors end a stream without a terminator', () => {
    const text = Buffer.from(client.renderStreamError(error, 'id-1')).toString();
    const parser = provider.openStreamParser();
    const events = [...parser.push(Buffer.from(text)), ...parser.end()];
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      message: 'slow\ndown',
      code: 'rate_limit_exceeded',
    });
    expect(text).not.toContain('[DONE]');
  });

  it.each([
    [
      404,
      '{"error":{"message":"no model","type":"t","code":"c","param":"model"}}',
      { message: 'no model', type: 't', code: 'c', param: 'model' },
    ],
    [
      400,
      '{"code":"1500","message":"Invalid","type":"invalid_model"}',
      { message: 'Invalid', type: 'invalid_model', code: '1500' },
    ],
    [
      401,
      '{"detail":"Invalid API Key"}',
      { message: 'Invalid API Key', type: 'authentication_error', code: null },
    ],
    [422, '{"detail":[{"msg":"a"},{"msg":"b"}]}', { message: 'a; b', type: 'invalid_request_error' }],
    [404, '{"error":"gone"}', { message: 'gone', type: 'not_found_error' }],
    [503, '<html>nginx</html>', { message: 'The provider answered with status 503.', type: 'api_error' }],
    [429, 'slow down', { message: 'slow down', type: 'rate_limit_error' }],
    [500, '', { message: 'The provider answered with status 500.' }],
    [500, '[1]', { message: '[1]' }],
  ])('errors from a provider are parsed: %i %s', (status, body, expected) => {
    expect(provider.parseError(status, body)).toMatchObject(expected);
  });
});

describe('a response with parts that only the original format defines', () => {
  const events: StreamEvent[] = [
    { type: 'message-start', format: 'gemini', id: 'g' },
    { type: 'text-start', choice: 0, block: 0 },
    { type: 'text-delta', choice: 0, block: 0, text: 'a' },
    { type: 'text-end', choice: 0, block: 0 },
    {
      type: 'part',
      choice: 0,
      block: 1,
      part: { type: 'opaque', extensions: { gemini: { part: { executableCode: {} } } } },
    },
    { type: 'finish', choice: 0, reason: 'stop', rawReason: 'STOP' },
    { type: 'message-end' },
  ];

  it('keeps the text of the response, both streamed and non-streaming', () => {
    const plain = client.renderResponse(foldAnswer(events), defaults) as { choices: { message: unknown }[] };
    expect(plain.choices[0]!.message).toEqual({ role: 'assistant', content: 'a' });
    const renderer = client.openStreamRenderer({ ...defaults, includesUsage: false });
    const text = events.map((event) => Buffer.from(renderer.render(event)).toString()).join('');
    expect(text).not.toContain('null]');
    expect(text.match(/"content"/g)).toHaveLength(1);
  });

  it('renders and parses a call signature in the field that Google uses', () => {
    const signed: StreamEvent[] = [
      { type: 'message-start', format: 'gemini' },
      {
        type: 'tool-call-start',
        choice: 0,
        block: 0,
        id: 'c',
        name: 'f',
        kind: 'function',
        signature: 's',
        extensions: { gemini: {} },
      },
      { type: 'tool-call-end', choice: 0, block: 0 },
    ];
    const answer = client.renderResponse(foldAnswer(signed), defaults);
    const [choice] = (answer as { choices: { message: unknown }[] }).choices;
    expect(choice).toMatchObject({
      message: { tool_calls: [{ extra_content: { google: { thought_signature: 's' } } }] },
    });
    const body = { model: 'm', messages: [choice!.message] };
    const { messages } = client.parseRequest(scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 }));
    expect(messages[0]!.parts).toMatchObject([{ type: 'tool-call', signature: 's' }]);
  });
});
