import { foldAnswer } from '@gateway/interchange';
import type { StreamEvent } from '@gateway/interchange';
import { converse } from './converse.ts';

const { client, provider } = converse;

/** The events of a response in another format, with overlapping tool calls. */
const foreignAnswer: StreamEvent[] = [
  { type: 'message-start', format: 'chat-completions', id: 'id' },
  { type: 'thinking-start', choice: 0, block: 0 },
  { type: 'thinking-delta', choice: 0, block: 0, text: 'hm' },
  { type: 'thinking-end', choice: 0, block: 0, signature: 's' },
  { type: 'text-start', choice: 0, block: 1 },
  { type: 'text-delta', choice: 0, block: 1, text: 'né' },
  { type: 'text-start', choice: 1, block: 0 },
  { type: 'text-delta', choice: 1, block: 0, text: 'another choice' },
  { type: 'text-end', choice: 1, block: 0 },
  { type: 'citation', choice: 0, block: 1, citation: { url: 'https://x.test', title: 'T', citedText: 'C' } },
  { type: 'text-end', choice: 0, block: 1 },
  { type: 'tool-call-start', choice: 0, block: 2, id: 'a', name: 'f', kind: 'function' },
  { type: 'tool-call-start', choice: 0, block: 3, id: 'b', name: 'g', kind: 'function' },
  { type: 'tool-call-delta', choice: 0, block: 3, argumentsText: '{"y"' },
  { type: 'tool-call-delta', choice: 0, block: 2, argumentsText: '{"x":1}' },
  { type: 'tool-call-delta', choice: 0, block: 3, argumentsText: ':2}' },
  { type: 'tool-call-end', choice: 0, block: 2 },
  { type: 'tool-call-end', choice: 0, block: 3 },
  { type: 'usage', usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 3, cacheWriteTokens: 4 } },
  { type: 'finish', choice: 0, reason: 'tool-calls', rawReason: 'tool_calls' },
  { type: 'message-end' },
];
const defaults = { id: 'i', model: 'm', createdAt: 1, latencyMs: 12 };
const plain = {
  output: {
    message: {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
        {
          citationsContent: {
            content: [{ text: 'né' }],
            citations: [
              { title: 'T', sourceContent: [{ text: 'C' }], location: { web: { url: 'https://x.test' } } },
            ],
          },
        },
        { toolUse: { toolUseId: 'a', name: 'f', input: { x: 1 } } },
        { toolUse: { toolUseId: 'b', name: 'g', input: { y: 2 } } },
      ],
    },
  },
  stopReason: 'tool_use',
  usage: {
    inputTokens: 3,
    outputTokens: 2,
    totalTokens: 12,
    cacheReadInputTokens: 3,
    cacheWriteInputTokens: 4,
  },
  metrics: { latencyMs: 12 },
};

describe('a response from another format', () => {
  it('renders as a non-streaming Converse response', () => {
    expect(client.renderResponse(foldAnswer(foreignAnswer), defaults)).toEqual(plain);
  });

  it('renders as a stream of sequential blocks with the same content', () => {
    const renderer = client.openStreamRenderer({ ...defaults, includesUsage: false });
    const bytes = Buffer.concat(foreignAnswer.map((event) => Buffer.from(renderer.render(event))));
    const parser = provider.openStreamParser();
    const events = [...parser.push(bytes), ...parser.end()];
    const order = events.flatMap((event) =>
      'block' in event && /-(start|end)$/.test(event.type) ? [event.block] : [],
    );
    expect(order).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect({ ...client.renderResponse(foldAnswer(events), defaults), metrics: plain.metrics }).toEqual(plain);
  });

  it('limits cached tokens to the input tokens, so that the total stays the same', () => {
    const usage = { inputTokens: 29, outputTokens: 1, cachedInputTokens: 157 };
    const answer = { ...foldAnswer(foreignAnswer), usage };
    expect(client.renderResponse(answer, defaults).usage).toEqual({
      inputTokens: 0,
      outputTokens: 1,
      totalTokens: 30,
      cacheReadInputTokens: 29,
    });
  });

  it("keeps every digit of a call's arguments", () => {
    const bytes = Buffer.from(
      '{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"f","input":{"n":12345678901234567890}}}]}},"stopReason":"tool_use"}',
    );
    const answer = foldAnswer(provider.parseResponse(bytes));
    expect(answer.choices[0]!.parts[0]).toMatchObject({ argumentsText: '{"n":12345678901234567890}' });
    expect(JSON.stringify(client.renderResponse(answer, defaults))).toContain('12345678901234567890');
  });
});

describe('a response to a client, unlike a request to a model', () => {
  const answer = (events: StreamEvent[]) =>
    client.renderResponse(foldAnswer([{ type: 'message-start', format: 'cohere' }, ...events]), defaults);
  const call = (kind: 'function' | 'custom', argumentsText: string): StreamEvent[] => [
    { type: 'tool-call-start', choice: 0, block: 0, id: 'a', name: 'f', kind },
    { type: 'tool-call-delta', choice: 0, block: 0, argumentsText },
    { type: 'tool-call-end', choice: 0, block: 0 },
  ];

  it('contains reasoning without a signature', () => {
    const events: StreamEvent[] = [
      { type: 'thinking-start', choice: 0, block: 0 },
      { type: 'thinking-delta', choice: 0, block: 0, text: 'hm' },
      { type: 'thinking-end', choice: 0, block: 0 },
    ];
    const content = [{ reasoningContent: { reasoningText: { text: 'hm' } } }];
    expect(answer(events)).toMatchObject({ output: { message: { content } } });
  });

  it.each([
    ['function', 'null', {}],
    ['custom', 'x = 1', { input: 'x = 1' }],
    ['function', '{"a', { arguments: '{"a' }],
  ] as const)('has an object as the arguments of a %s: %s', (kind, argumentsText, input) => {
    const content = [{ toolUse: { toolUseId: 'a', name: 'f', input } }];
    expect(answer(call(kind, argumentsText))).toMatchObject({ output: { message: { content } } });
  });
});

describe('an image from another format', () => {
  const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAEC' } } as const;
  const painted: StreamEvent[] = [
    { type: 'message-start', format: 'gemini', id: 'id' },
    { type: 'part', choice: 0, block: 0, part: image },
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } },
    { type: 'finish', choice: 0, reason: 'stop', rawReason: 'STOP' },
    { type: 'message-end' },
  ];

  it('renders as an image in a non-streaming response', () => {
    expect(client.renderResponse(foldAnswer(painted), defaults)).toMatchObject({
      output: { message: { content: [{ image: { format: 'png', source: { bytes: 'AAEC' } } }] } },
    });
  });

  it('renders as the same image in a stream', () => {
    const renderer = client.openStreamRenderer({ ...defaults, includesUsage: true });
    const parser = provider.openStreamParser();
    const frames = painted.flatMap((event) => parser.push(Buffer.from(renderer.render(event))));
    expect(foldAnswer([...frames, ...parser.end()]).choices[0]?.parts).toEqual([image]);
  });
});
