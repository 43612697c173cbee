import { foldAnswer, type StreamEvent } from '@gateway/interchange';
import { cohere } from './cohere.ts';

const { provider } = cohere;

function read(...events: object[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return [...parser.push(Buffer.from(text)), ...parser.end()];
}
const event = (type: string, message: object, index = 0) => ({ type, index, delta: { message } });
const end = (delta: object) => ({ type: 'message-end', delta });
const complete = end({ finish_reason: 'COMPLETE' });
const start = { type: 'message-start', id: 'i', delta: {} };
const partsOf = (events: StreamEvent[]) => foldAnswer(events).choices[0]!.parts;

describe('a stream', () => {
  it('a truncated stream has no end event, and bytes after the end event are ignored', () => {
    const contentStart = event('content-start', { content: { type: 'text', text: 'a' } });
    expect(read(start, contentStart).map(({ type }) => type)).not.toContain('message-end');
    expect(read(start, complete, contentStart).at(-1)).toEqual({ type: 'message-end' });
  });

  it("emits the model's plan as reasoning, separate from other reasoning and from text", () => {
    const events = read(
      start,
      event('tool-plan-delta', { tool_plan: 'I' }),
      event('tool-plan-delta', { tool_plan: ' plan' }),
      event('content-start', { content: { type: 'thinking', thinking: 'hm' } }),
      event('content-end', {}),
      event('content-start', { content: { type: 'text', text: '' } }, 1),
      event('content-delta', { content: { text: 'a' } }, 1),
      event('content-end', {}, 1),
      complete,
    );
    expect(partsOf(events)).toMatchObject([
      { type: 'thinking', text: 'I plan', extensions: { cohere: { spelling: { field: 'tool_plan' } } } },
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'a' },
    ]);
  });

  it('ends every open block, and emits an empty object for a call without arguments', () => {
    const called = { id: 'c', type: 'function', function: { name: 'f', arguments: '' } };
    const events = read(
      start,
      event('tool-call-start', { tool_calls: called }),
      end({ finish_reason: 'TOOL_CALL' }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'message-start',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-end',
      'finish',
      'message-end',
    ]);
    expect(partsOf(events)).toEqual([
      { type: 'tool-call', id: 'c', name: 'f', kind: 'function', argumentsText: '{}' },
    ]);
  });

  it('emits an error for a failed response, and no end event after the error', () => {
    const events = read(start, end({ finish_reason: 'ERROR', error: 'out of memory' }));
    expect(events.at(-1)).toEqual({
      type: 'error',
      message: 'out of memory',
      errorType: 'api_error',
      code: 'ERROR',
    });
  });

  it('throws upstream_invalid for data that is not JSON', () => {
    const parser = provider.openStreamParser();
    expect(() => parser.push(Buffer.from('data: {"type"\n\n'))).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
  });
});

describe('citations', () => {
  const citation = {
    start: 0,
    end: 1,
    text: 'a',
    sources: [
      { type: 'document', id: 'd', document: { title: 'T', text: 'words', url: 'https://a.test' } },
      { type: 'tool', id: 't', tool_output: { content: 'out' } },
    ],
  };
  const cited = [
    { title: 'T', url: 'https://a.test', citedText: 'words', extensions: { cohere: { citation } } },
    { citedText: 'out', extensions: { cohere: {} } },
  ];

  it('assigns citations to their text in streamed and non-streaming responses', () => {
    const streamed = read(
      start,
      event('content-start', { content: { type: 'text', text: 'a' } }),
      event('citation-start', { citations: citation }),
      event('citation-end', {}),
      complete,
    );
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'a' },
    ];
    const plain = provider.parseResponse(
      Buffer.from(JSON.stringify({ message: { content, citations: [{ ...citation, content_index: 1 }] } })),
    );
    expect(partsOf(streamed)).toEqual([{ type: 'text', text: 'a', citations: cited }]);
    expect(partsOf(plain)[1]).toMatchObject({ citations: [{ title: 'T' }, { citedText: 'out' }] });
  });

  it('keeps citations for a plan with the message', () => {
    const message = { tool_plan: 'p', citations: [{ ...citation, type: 'PLAN' }] };
    const [choice] = foldAnswer(provider.parseResponse(Buffer.from(JSON.stringify({ message })))).choices;
    expect(choice!.messageExtensions.cohere).toEqual({ citations: message.citations });
  });
});

describe('a non-streaming response', () => {
  it.each([
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['TOOL_CALL', 'tool-calls'],
    ['ERROR', 'error'],
    ['SOMETHING_NEW', 'other'],
  ])('maps the finish reason %s to %s, and keeps the original value', (rawReason, finishReason) => {
    const bytes = Buffer.from(JSON.stringify({ message: {}, finish_reason: rawReason }));
    expect(foldAnswer(provider.parseResponse(bytes)).choices).toMatchObject([{ rawReason, finishReason }]);
  });

  it('reports total and billed token counts separately', () => {
    const usage = {
      billed_units: { input_tokens: 4, output_tokens: 1 },
      tokens: { input_tokens: 40, output_tokens: 3, reasoning_tokens: 2 },
      cached_tokens: 30,
    };
    const answer = foldAnswer(
      provider.parseResponse(Buffer.from(JSON.stringify({ message: {}, finish_reason: 'COMPLETE', usage }))),
    );
    expect(answer.usage).toEqual({
      inputTokens: 40,
      outputTokens: 3,
      cachedInputTokens: 30,
      reasoningTokens: 2,
      billedInputTokens: 4,
      billedOutputTokens: 1,
    });
    expect(answer.extensions.cohere).toEqual({ usage });
  });

  it('throws upstream_invalid for a body with an unexpected shape', () => {
    for (const body of ['{"text":"v1"}', '[]', '{"message":"no"}', 'x'])
      expect(() => provider.parseResponse(Buffer.from(body))).toThrow(
        expect.objectContaining({ code: 'upstream_invalid' }),
      );
  });
});
