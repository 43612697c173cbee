import type { ChatMessage, ChatRequest, ToolCallPart } from '@gateway/interchange';
import { providerFormatNamed } from '../formats.ts';

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
const render = (changes: Partial<ChatRequest>, model = 'gemini-2.5-flash') =>
  providerFormatNamed('gemini').provider.renderRequest(request(changes), { model });
const user = (text: string): ChatMessage => ({ role: 'user', parts: [{ type: 'text', text }] });
const call = (id: string, name: string, argumentsText = '{}'): ToolCallPart => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  argumentsText,
});
const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } } as const;
const fieldsOf = ({ losses }: { losses: readonly { field: string }[] }) => losses.map(({ field }) => field);

describe('a conversation from another format', () => {
  it('has its system messages moved to the front, and a loss reported for each', () => {
    const system = (text: string): ChatMessage => ({ role: 'system', parts: [{ type: 'text', text }] });
    const rendered = render({ messages: [system('a'), system('b'), user('x'), system('c')] });
    expect(rendered.body).toEqual({
      systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
      contents: [{ role: 'user', parts: [{ text: 'x' }] }],
    });
    expect(fieldsOf(rendered)).toEqual(['messages[3]']);
  });

  const turns: ChatMessage[] = [
    {
      role: 'assistant',
      parts: [{ type: 'text', text: '' }, call('call_1', 'f', '{"x":[1]}'), call('call_2', 'g', '')],
    },
    {
      role: 'tool',
      parts: [{ type: 'tool-result', callId: 'call_1', parts: [{ type: 'text', text: '1' }, image] }],
    },
    { role: 'tool', parts: [{ type: 'tool-result', callId: 'call_2', parts: [], isError: true }] },
  ];

  it('has all results for a turn in one content, each with its function name', () => {
    const { body, losses } = render({ messages: turns }, 'gemini-3-pro');
    expect(body.contents).toEqual([
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'call_1', name: 'f', args: { x: [1] } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
          { functionCall: { id: 'call_2', name: 'g', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'call_1',
              name: 'f',
              response: { output: '1' },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }],
            },
          },
          { functionResponse: { id: 'call_2', name: 'g', response: { error: '' } } },
        ],
      },
    ]);
    expect(losses).toEqual([]);
  });

  it('for models before Gemini 3, has the images of results in separate parts, and no signature placeholders', () => {
    const { body } = render({ messages: turns });
    const [model, results] = body.contents as { parts: object[] }[];
    expect(JSON.stringify(model)).not.toContain('thoughtSignature');
    expect(results!.parts.map((part) => Object.keys(part))).toEqual([
      ['functionResponse'],
      ['inlineData'],
      ['functionResponse'],
    ]);
  });

  it('keeps non-object arguments, and a result without a call, and reports losses', () => {
    const messages: ChatMessage[] = [
      { role: 'assistant', parts: [call('c', 'f', '[1')] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'other', parts: [] }] },
    ];
    const rendered = render({ messages });
    expect(JSON.stringify(rendered.body)).toContain('"args":{"arguments":"[1"}');
    expect(JSON.stringify(rendered.body)).toContain('"name":"other"');
    expect(fieldsOf(rendered)).toEqual(['messages[0].parts[0].arguments', 'messages[1].parts[0].name']);
  });

  it('keeps call signatures, and drops reasoning that another provider signed or hid', () => {
    const messages: ChatMessage[] = [
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 't', signature: 's' },
          { type: 'thinking', text: '', redacted: 'r' },
          { ...call('c', 'f'), signature: 'mine' },
        ],
      },
    ];
    const rendered = render({ messages }, 'gemini-3-pro');
    expect((rendered.body.contents as { parts: object[] }[])[0]!.parts).toEqual([
      { text: 't', thought: true },
      { functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'mine' },
    ]);
    expect(fieldsOf(rendered)).toEqual(['messages[0].parts[0].signature', 'messages[0].parts[1]']);
  });

  it('has a media type for every file, and drops files stored at another provider', () => {
    const rendered = render({
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'image', source: { kind: 'url', url: 'https://x.test/a.PNG?b=c.gif' } },
            { type: 'document', source: { kind: 'base64', mediaType: undefined, data: 'AA==' }, name: 'a' },
            { type: 'document', source: { kind: 'file', id: 'file-1' } },
          ],
        },
      ],
    });
    expect((rendered.body.contents as { parts: object[] }[])[0]!.parts).toEqual([
      { fileData: { mimeType: 'image/png', fileUri: 'https://x.test/a.PNG?b=c.gif' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AA==' } },
    ]);
    expect(fieldsOf(rendered)).toEqual(['messages[0].parts[2]']);
  });
});

describe('tools from another format', () => {
  const f = (parameters: unknown) => ({ kind: 'function', name: 'f', parameters }) as const;
  const declarationOf = (parameters: unknown) =>
    (render({ tools: [f(parameters)] }).body.tools as [{ functionDeclarations: [object] }])[0]
      .functionDeclarations[0];

  it.each([
    [
      { type: 'object', properties: { a: { type: 'array', items: { type: 'string', enum: ['x'] } } } },
      'parameters',
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      'parametersJsonSchema',
    ],
    [{ type: 'object', properties: { a: { type: ['string', 'null'] } } }, 'parametersJsonSchema'],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } }, 'parametersJsonSchema'],
    [{ type: 'object', properties: { a: { type: 'integer', enum: [1] } } }, 'parametersJsonSchema'],
    [{ type: 'object', properties: { a: { type: 'string', format: 'uri' } } }, 'parametersJsonSchema'],
  ])('keep their schema, in Google’s own schema type if possible: %j', (schema, member) => {
    expect(declarationOf(schema)).toEqual({ name: 'f', [member]: schema });
  });

  it('omit parameters if the function has none', () => {
    for (const none of [undefined, {}, { type: 'object', properties: {} }])
      expect(declarationOf(none)).toEqual({ name: 'f' });
  });

  it.each([
    [{ mode: 'auto' }, { mode: 'AUTO' }],
    [{ mode: 'none' }, { mode: 'NONE' }],
    [{ mode: 'required' }, { mode: 'ANY' }],
    [
      { mode: 'tool', name: 'f' },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { mode: 'allowed', names: ['f', 'g'] },
      { mode: 'VALIDATED', allowedFunctionNames: ['f', 'g'] },
    ],
    [
      { mode: 'allowed', names: ['f'], required: true },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ] as const)('follow the client’s tool choice: %j', (toolChoice, functionCallingConfig) => {
    const { body } = render({ tools: [f({})], toolChoice });
    expect(body.toolConfig).toEqual({ functionCallingConfig });
    expect(render({ toolChoice }).body).not.toHaveProperty('toolConfig');
  });

  it('are reported as losses if they are built into another provider', () => {
    const rendered = render({
      tools: [
        { kind: 'custom', name: 'c' },
        { kind: 'built-in', extensions: { messages: { type: 'web' } } },
      ],
    });
    expect(rendered.body).not.toHaveProperty('tools');
    expect(fieldsOf(rendered)).toEqual(['tools[0]', 'tools[1]']);
  });
});

describe('settings from another format', () => {
  const configOf = (settings: ChatRequest['settings'], model?: string) =>
    render({ settings }, model).body.generationConfig as Record<string, unknown>;

  it('are renamed to the fields of the Gemini format', () => {
    const settings = {
      maxOutputTokens: 1,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 4,
      frequencyPenalty: 1,
      presencePenalty: -1,
      answers: 2,
      stopSequences: ['a'],
      responseFormat: {
        type: 'json-schema',
        name: 'n',
        schema: { type: 'object', additionalProperties: false },
      },
    } as const;
    expect(configOf(settings)).toEqual({
      maxOutputTokens: 1,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 4,
      frequencyPenalty: 1,
      presencePenalty: -1,
      candidateCount: 2,
      stopSequences: ['a'],
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', additionalProperties: false },
    });
  });

  it.each([
    ['gemini-2.5-flash', { reasoningEffort: 'medium' }, { thinkingBudget: 8192, includeThoughts: true }],
    ['gemini-2.5-flash', { reasoningEffort: 'none' }, { thinkingBudget: 0, includeThoughts: false }],
    ['gemini-3-pro', { reasoningEffort: 'high' }, { thinkingLevel: 'HIGH', includeThoughts: true }],
    ['gemini-flash-latest', { reasoningEffort: 'low' }, { thinkingLevel: 'LOW', includeThoughts: true }],
    [
      'gemini-3-pro',
      { thinking: { enabled: true, budgetTokens: 99 } },
      { thinkingBudget: 99, includeThoughts: true },
    ],
    ['gemini-2.5-pro', { thinking: { enabled: true, shown: false } }, { includeThoughts: false }],
  ])('become the reasoning settings for %s: %j', (model, settings, thinkingConfig) => {
    expect(configOf(settings, model)).toEqual({ thinkingConfig });
  });

  it('are reported as losses if the model or the format does not support them', () => {
    expect(fieldsOf(render({ settings: { reasoningEffort: 'high' } }, 'gemini-2.0-flash'))).toEqual([
      'thinking',
    ]);
    expect(fieldsOf(render({ settings: { reasoningEffort: 'max' } }, 'gemini-3-pro'))).toEqual([
      'reasoning_effort',
    ]);
    expect(fieldsOf(render({ settings: { parallelToolCalls: false, endUser: 'u' } }))).toEqual([
      'parallel_tool_calls',
      'user',
    ]);
    expect(
      fieldsOf(render({ extensions: { messages: { container: 1 }, gemini: { spelling: {} } } })),
    ).toEqual(['container']);
  });
});
