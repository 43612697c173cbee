import type { ChatRequest } from '@gateway/interchange';
import { formatNamed } from '../formats.ts';

const { provider } = formatNamed('converse');
const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

const request = (changes: Partial<ChatRequest>): ChatRequest => ({
  model: claude,
  messages: [],
  tools: [],
  toolChoice: { mode: 'unset' },
  settings: {},
  stream: false,
  streamsUsage: false,
  ...changes,
});
const render = (changes: Partial<ChatRequest>, model = claude) =>
  provider.renderRequest(request(changes), { model });
const text = (words: string) => ({ type: 'text', text: words }) as const;
const png = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } } as const;
const call = {
  type: 'tool-call',
  id: 'c1',
  name: 'f',
  kind: 'function',
  argumentsText: '{"n":12345678901234567890}',
} as const;

describe('a request from another format', () => {
  it('has the cache point for a marker inside a result after the result', () => {
    const marked = { ...text('x'), cacheMarker: {} };
    const result = {
      type: 'tool-result',
      callId: 'c1',
      parts: [marked, { ...text(' '), cacheMarker: {} }],
    } as const;
    const { body } = render({
      messages: [
        { role: 'assistant', parts: [call] },
        { role: 'tool', parts: [result] },
      ],
    });
    expect((body.messages as unknown[])[1]).toEqual({
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'c1', content: [{ text: 'x' }] } },
        { cachePoint: { type: 'default' } },
      ],
    });
  });

  it('keeps the place of system messages for a model that accepts them after user messages', () => {
    const messages = [
      { role: 'user', parts: [text('a')] },
      { role: 'system', parts: [text('late')] },
      { role: 'assistant', parts: [text('b')] },
      { role: 'system', parts: [text('later')] },
      { role: 'user', parts: [text('c')] },
    ] as const;
    const options = { model: claude, takesSystemTurns: true };
    const { body, losses } = provider.renderRequest(request({ messages }), options);
    expect(losses).toEqual([]);
    expect((body.messages as { role: string }[]).map(({ role }) => role)).toEqual([
      ...['user', 'system', 'assistant', 'user', 'system'],
    ]);
    expect(body.system).toBeUndefined();
  });

  it('has alternating turns, a separate system prompt, and results in user turns', () => {
    const { body, losses } = render({
      messages: [
        { role: 'system', parts: [text('be kind')] },
        { role: 'user', parts: [text('a')] },
        { role: 'user', parts: [text('b'), png] },
        { role: 'assistant', parts: [text(''), call] },
        {
          role: 'tool',
          parts: [{ type: 'tool-result', callId: 'c1', parts: [text('x'), png], isError: true }],
        },
        { role: 'user', parts: [text('go on')] },
      ],
    });
    expect(losses).toEqual([]);
    const image = { image: { format: 'png', source: { bytes: 'AA==' } } };
    expect(JSON.stringify(body)).toContain('"input":{"n":12345678901234567890}');
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({
      system: [{ text: 'be kind' }],
      messages: [
        { role: 'user', content: [{ text: 'a' }, { text: 'b' }, image] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'f' } }] },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'c1', content: [{ text: 'x' }, image], status: 'error' } },
            { text: 'go on' },
          ],
        },
      ],
    });
  });

  it.each([
    ['call_1', 'call_1'],
    ['functions.f:0', 'functions.f:0'],
    ['', expect.stringMatching(/^_\w+$/)],
    ['f 1|ü', expect.stringMatching(/^f_1___\w+$/)],
    ['x'.repeat(65), expect.stringMatching(/^x{50,}_\w+$/)],
  ])('has call ids that the API accepts, and matching ids in results: %j', (id, expected: unknown) => {
    const { body } = render({
      messages: [
        {
          role: 'assistant',
          parts: [{ type: 'tool-call', id, name: 'f', kind: 'function', argumentsText: '{}' }],
        },
        { role: 'tool', parts: [{ type: 'tool-result', callId: id, parts: [{ type: 'text', text: 'x' }] }] },
      ],
    });
    const [call, result] = (body as { messages: { content: object[] }[] }).messages.map(
      ({ content }) => content[0],
    );
    const { toolUseId } = (call as { toolUse: { toolUseId: string } }).toolUse;
    expect(toolUseId).toEqual(expected);
    expect(toolUseId.length).toBeLessThanOrEqual(64);
    expect(result).toMatchObject({ toolResult: { toolUseId } });
  });

  it("has its temperature limited to the API's range", () => {
    expect(render({ settings: { temperature: 1.5, topP: 1 } })).toEqual({
      body: { messages: [], inferenceConfig: { temperature: 1, topP: 1 } },
      losses: [{ field: 'temperature', reason: 'the maximum temperature of the format is 1' }],
    });
  });

  it('has its settings in the fields that the API and the model define', () => {
    const settings = {
      maxOutputTokens: 5,
      temperature: 0,
      topP: 1,
      topK: 3,
      stopSequences: ['x'],
      reasoningEffort: 'low',
      thinking: { enabled: true, budgetTokens: 1024 },
      responseFormat: { type: 'json-schema', name: 'n', schema: { a: 1 } },
    } as const;
    expect(render({ settings })).toEqual({
      body: {
        messages: [],
        inferenceConfig: { maxTokens: 5, temperature: 0, topP: 1, stopSequences: ['x'] },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 }, top_k: 3 },
        outputConfig: {
          textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: '{"a":1}', name: 'n' } } },
          effort: 'low',
        },
      },
      losses: [],
    });
    expect(render({ settings: { topK: 3 } }, 'amazon.nova-lite-v1:0').body).toMatchObject({
      additionalModelRequestFields: { inferenceConfig: { topK: 3 } },
    });
  });

  it('reports every loss, and reports no loss for fields that are kept', () => {
    const { body, losses } = render(
      {
        settings: {
          topK: 3,
          seed: 1,
          answers: 2,
          parallelToolCalls: false,
          endUser: 'u',
          responseFormat: { type: 'json' },
          thinking: { enabled: true },
        },
        messages: [
          {
            role: 'user',
            parts: [{ type: 'image', source: { kind: 'url', url: 'https://x.test/a.png' } }, text('hi')],
          },
          { role: 'assistant', parts: [{ type: 'thinking', text: 'hm' }, text('yes')] },
          { role: 'system', parts: [text('late')] },
        ],
        tools: [
          { kind: 'custom', name: 'c' },
          { kind: 'built-in', extensions: { messages: { type: 'web_search' } } },
        ],
      },
      'meta.llama3-1-8b-instruct-v1:0',
    );
    expect(losses.map(({ field }) => field).sort()).toEqual([
      'messages[0].image',
      'messages[1].thinking',
      'messages[2]',
      'n',
      'parallel_tool_calls',
      'response_format',
      'seed',
      'thinking',
      'tools[0]',
      'tools[1]',
      'top_k',
      'user',
    ]);
    expect(body).toEqual({
      system: [{ text: 'late' }],
      messages: [
        { role: 'user', content: [{ text: 'hi' }] },
        { role: 'assistant', content: [{ text: 'yes' }] },
      ],
    });
  });

  it('contains only the allowed tools, with a tool choice that the format supports', () => {
    const tools = ['f', 'g'].map((name) => ({ kind: 'function', name, description: '' }) as const);
    const toolConfig = (toolChoice: ChatRequest['toolChoice'], messages: ChatRequest['messages'] = []) =>
      render({ tools, toolChoice, messages }).body.toolConfig as
        { tools: { toolSpec: { name: string } }[]; toolChoice?: unknown } | undefined;
    const named = (toolChoice: ChatRequest['toolChoice']) =>
      toolConfig(toolChoice)?.tools.map(({ toolSpec }) => toolSpec.name);
    expect(named({ mode: 'allowed', names: ['g'] })).toEqual(['g']);
    expect(toolConfig({ mode: 'none' })).toBeUndefined();
    expect(toolConfig({ mode: 'none' }, [{ role: 'assistant', parts: [call] }])?.tools).toHaveLength(2);
    const signed = { type: 'thinking', text: '', signature: 'Eq==' } as const;
    expect(toolConfig({ mode: 'none' }, [{ role: 'assistant', parts: [signed] }])?.tools).toHaveLength(2);
    expect(toolConfig({ mode: 'tool', name: 'f' })?.toolChoice).toEqual({ tool: { name: 'f' } });
    expect(toolConfig({ mode: 'required' })?.toolChoice).toEqual({ any: {} });
    expect(toolConfig({ mode: 'unset' })?.tools[0]).toEqual({
      toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } },
    });
  });

  it('has cache points for markers, and document names that the API accepts', () => {
    const pdf = (name: string) =>
      ({
        type: 'document',
        source: { kind: 'base64', mediaType: 'application/pdf', data: 'AA==' },
        name,
      }) as const;
    const { body } = render({
      messages: [
        {
          role: 'user',
          parts: [{ ...pdf('my_file.v2.pdf'), cacheMarker: { ttl: '1h' } }, pdf('my_file.v2.pdf'), pdf('')],
        },
      ],
    });
    const [message] = body.messages as { content: { document?: { name: string } }[] }[];
    expect(message!.content[1]).toEqual({ cachePoint: { type: 'default', ttl: '1h' } });
    expect(message!.content.flatMap(({ document }) => document?.name ?? [])).toEqual([
      'my-file-v2-pdf',
      'my-file-v2-pdf (2)',
      'document',
    ]);
  });

  it('has an object that wraps arguments of any other type, and reports a loss', () => {
    const { body, losses } = render({
      messages: [{ role: 'assistant', parts: [{ ...call, argumentsText: '[1' }] }],
    });
    expect(JSON.stringify(body)).toContain('"input":{"arguments":"[1"}');
    expect(losses).toHaveLength(1);
  });
});
