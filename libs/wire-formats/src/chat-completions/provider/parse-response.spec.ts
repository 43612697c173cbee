import { createSummary, foldAnswer, summarize } from '@gateway/interchange';
import type { ChatPart, StreamEvent } from '@gateway/interchange';
import { encodeSse } from '../../sse/sse-frames.ts';
import { chatCompletions } from '../chat-completions.ts';

interface Chunk {
  readonly delta?: object;
  readonly index?: number;
  readonly finish_reason?: string;
}

const { provider } = chatCompletions;

function sse(chunks: readonly (Chunk | string)[]): Buffer {
  const frames = chunks.map((chunk) => {
    if (typeof chunk === 'string') return encodeSse({ data: chunk });
    const { delta = {}, index = 0, finish_reason = null } = chunk;
    return encodeSse({
      data: JSON.stringify({ id: 'r', model: 'm', choices: [{ index, delta, finish_reason }] }),
    });
  });
  return Buffer.from(frames.join(''));
}

function parse(chunks: readonly (Chunk | string)[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  return [...parser.push(sse(chunks)), ...parser.end()];
}

const partsOf = (events: readonly StreamEvent[], choice = 0): readonly ChatPart[] =>
  foldAnswer(events).choices[choice]?.parts ?? [];
const call = (index: number | undefined, id: string | null, name: string | null, text: string): Chunk => ({
  delta: {
    tool_calls: [{ ...(index === undefined ? {} : { index }), id, function: { name, arguments: text } }],
  },
});

describe('parsing a stream', () => {
  it('starts and ends every block in order', () => {
    const events = parse([
      { delta: { role: 'assistant', content: '' } },
      { delta: { reasoning_content: 'hm' } },
      { delta: { content: 'a' } },
      { delta: { content: 'b' } },
      call(0, 'c', 'f', ''),
      call(0, null, null, '{}'),
      { finish_reason: 'tool_calls' },
      '[DONE]',
    ]);
    expect(events.map((event) => ('block' in event ? `${event.type} ${event.block}` : event.type))).toEqual([
      'message-start',
      'thinking-start 0',
      'thinking-delta 0',
      'thinking-end 0',
      'text-start 1',
      'text-delta 1',
      'text-delta 1',
      'text-end 1',
      'tool-call-start 2',
      'tool-call-delta 2',
      'tool-call-end 2',
      'finish',
      'message-end',
    ]);
  });

  it('separates parallel tool calls that are interleaved or have different ids under the same index', () => {
    const names = (events: StreamEvent[]) =>
      partsOf(events).map((part) => part.type === 'tool-call' && [part.id, part.name, part.argumentsText]);
    expect(
      names(
        parse([
          call(0, 'a', 'f', '{"x"'),
          call(1, 'b', 'g', '{"y"'),
          call(0, null, null, ':1}'),
          call(1, null, null, ':2}'),
        ]),
      ),
    ).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{"y":2}'],
    ]);
    // Google's endpoint sends index 0 for every tool call.
    expect(names(parse([call(0, 'a', 'f', '{}'), call(0, 'b', 'f', '{"z":1}')]))).toEqual([
      ['a', 'f', '{}'],
      ['b', 'f', '{"z":1}'],
    ]);
    // Mistral sends no tool call index. Some providers repeat the tool call id, with an empty name.
    expect(
      names(
        parse([call(undefined, 'a', 'f', '{'), call(undefined, 'a', '', '}'), call(undefined, 'b', 'g', '')]),
      ),
    ).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', ''],
    ]);
  });

  it('separates several choices', () => {
    const events = parse([
      { index: 1, delta: { content: 'one' } },
      { index: 0, delta: { content: 'zero' } },
      { index: 1, finish_reason: 'length' },
      { index: 0, finish_reason: 'stop' },
    ]);
    const answer = foldAnswer(events);
    expect(answer.choices.map(({ index, finishReason }) => [index, finishReason])).toEqual([
      [0, 'stop'],
      [1, 'length'],
    ]);
    expect(events.at(-1)).toEqual({ type: 'message-end' });
  });

  it('ends a response only if the response is complete', () => {
    const ended = (chunks: (Chunk | string)[]) => parse(chunks).some(({ type }) => type === 'message-end');
    expect(ended([{ delta: { content: 'a' }, finish_reason: 'stop' }, '[DONE]'])).toBe(true);
    // Perplexity and some other providers do not send a terminator.
    expect(ended([{ delta: { content: 'a' }, finish_reason: 'stop' }])).toBe(true);
    expect(ended([{ delta: { content: 'a' } }])).toBe(false);
    expect(
      ended([
        { index: 1, finish_reason: 'stop' },
        { index: 0, delta: { content: 'a' } },
      ]),
    ).toBe(false);
    expect(ended([])).toBe(false);
  });

  it('returns an error event for every known shape of a mid-stream error', () => {
    const failure = { type: 'error', message: 'overloaded', code: '503' };
    const error = { message: 'overloaded', code: 503 };
    expect(parse([{ delta: { content: 'a' } }, JSON.stringify({ error })]).at(-1)).toMatchObject(failure);
    const parser = provider.openStreamParser();
    const named = parser.push(Buffer.from(encodeSse({ event: 'error', data: JSON.stringify(error) })));
    expect(named).toEqual([expect.objectContaining(failure)]);
  });

  it.each(['{', 'null,', '"\u0001"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`])(
    'rejects a chunk of invalid JSON',
    (data) => {
      expect(() => parse([data])).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
    },
  );

  it('rejects an endless event and an endless list of tool calls', () => {
    const parser = provider.openStreamParser();
    expect(() => parser.push(Buffer.alloc(2_000_000, 0x61))).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
    const calls = Array.from({ length: 5000 }, (_, index) => call(index, `c${index}`, 'f', ''));
    expect(() => parse(calls)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
  });

  it('skips choices beyond the limit', () => {
    const events = parse([
      ...Array.from({ length: 300 }, (_, index) => ({ index, delta: { content: 'a' } })),
      { index: 299, finish_reason: 'stop' },
      { index: 0, delta: { content: 'b' } },
    ]);
    const choices = new Set(events.flatMap((event) => ('choice' in event ? [event.choice] : [])));
    expect([choices.size, choices.has(299)]).toEqual([256, false]);
    expect(partsOf(events)).toEqual([{ type: 'text', text: 'ab' }]);
  });

  it('returns response fields once, even if every chunk contains them', () => {
    const chunk = JSON.stringify({
      id: 'r',
      service_tier: 'x',
      list: [1],
      choices: [{ index: 0, delta: { content: 'a' } }],
    });
    expect(parse([chunk, chunk, chunk]).filter(({ type }) => type === 'extension')).toHaveLength(1);
  });
});

describe('the finish reason', () => {
  const reasonsOf = (events: readonly StreamEvent[]): unknown[] =>
    events.flatMap((event) => (event.type === 'finish' ? [[event.reason, event.rawReason]] : []));

  it('the finish reason is tool-calls for a response with calls, even if the provider sends stop, as OpenAI does for forced calls', () => {
    const called = { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] };
    const plain = { id: 'r', choices: [{ index: 0, message: called, finish_reason: 'stop' }] };
    const events = provider.parseResponse(Buffer.from(JSON.stringify(plain)));
    expect(reasonsOf(events)).toEqual([['tool-calls', 'stop']]);
    expect(reasonsOf(parse([call(0, 'c', 'f', '{}'), { finish_reason: 'stop' }, '[DONE]']))).toEqual([
      ['tool-calls', 'stop'],
    ]);
  });

  it('the finish reason is tracked per choice, and is length for truncated calls', () => {
    const other = { index: 1, delta: { content: 'a' }, finish_reason: 'stop' };
    expect(reasonsOf(parse([call(0, 'c', 'f', '{'), other, { finish_reason: 'length' }]))).toEqual([
      ['stop', 'stop'],
      ['length', 'length'],
    ]);
  });
});

describe('usage', () => {
  const usageOf = (usage: object): unknown =>
    foldAnswer(provider.parseResponse(Buffer.from(JSON.stringify({ id: 'r', choices: [], usage })))).usage;

  it.each([
    [
      { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
      { inputTokens: 9, outputTokens: 2 },
    ],
    [
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        total_tokens: 14,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4, cacheWriteTokens: 1, reasoningTokens: 3 },
    ],
    [
      {
        prompt_tokens: 9,
        completion_tokens: 2,
        total_tokens: 14,
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      { inputTokens: 9, outputTokens: 5, reasoningTokens: 3 },
    ],
    [
      { prompt_tokens: 9, prompt_cache_hit_tokens: 8 },
      { inputTokens: 9, outputTokens: 0, cachedInputTokens: 8 },
    ],
    [{}, undefined],
  ])('token usage is parsed from %j', (usage, expected) => {
    expect(usageOf(usage)).toEqual(expected);
  });
});

describe('streamed usage', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
  const chunk = (choice: object, members: object = {}) =>
    JSON.stringify({ id: 'r', choices: [{ index: 0, delta: {}, ...choice }], ...members });
  const usageOf = (chunks: readonly string[]) => parse(chunks).filter(({ type }) => type === 'usage');

  it("streamed usage is read from the choice's last delta, where Moonshot sends the usage", () => {
    expect(usageOf([chunk({}), chunk({ finish_reason: 'stop', usage }), '[DONE]'])).toMatchObject([
      { usage: { inputTokens: 9, outputTokens: 2 } },
    ]);
  });

  it('usage from the response takes precedence over usage from the choice', () => {
    const other = { ...usage, prompt_tokens: 1 };
    expect(usageOf([chunk({ finish_reason: 'stop', usage: other }, { usage }), '[DONE]'])).toMatchObject([
      { usage: { inputTokens: 9 } },
    ]);
  });
});

describe('a response summary', () => {
  it('a response summary stays small however long the response is', () => {
    const calls = Array.from({ length: 1000 }, (_, index) => call(index, `c${index}`, 'f', '{}'));
    const summary = parse([
      { delta: { content: 'abc' } },
      ...calls,
      { finish_reason: 'tool_calls' },
      '[DONE]',
    ]).reduce(summarize, createSummary());
    expect(summary).toMatchObject({
      responseId: 'r',
      model: 'm',
      toolCallCount: 1000,
      textCharacters: 3,
      argumentCharacters: 2000,
      sawEnd: true,
      error: undefined,
    });
    expect(summary.toolCalls).toHaveLength(256);
    expect([...summary.finishReasons]).toEqual([[0, 'tool-calls']]);
  });
});
