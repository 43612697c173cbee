import { createSummary, foldAnswer, summarize, type StreamEvent } from '@gateway/interchange';
import { encodeSse } from '../../sse/sse-frames.ts';
import { messages } from '../messages.ts';

type Data = { readonly type: string } & Readonly<Record<string, unknown>>;

const frame = (data: Data): string => encodeSse({ event: data.type, data: JSON.stringify(data) });
const start = { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 3 } } };
const open = (index: number, block: object): Data => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const piece = (index: number, delta: object): Data => ({ type: 'content_block_delta', index, delta });
const stop = (index: number): Data => ({ type: 'content_block_stop', index });
const end = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

function parse(events: readonly Data[]): StreamEvent[] {
  const parser = messages.provider.openStreamParser();
  return [...parser.push(Buffer.from(events.map(frame).join(''))), ...parser.end()];
}

const whole = [
  start,
  open(0, { type: 'thinking', thinking: '', signature: '' }),
  piece(0, { type: 'thinking_delta', thinking: 'hm' }),
  piece(0, { type: 'signature_delta', signature: 'sig' }),
  stop(0),
  { type: 'ping' },
  open(1, { type: 'text', text: '' }),
  piece(1, { type: 'text_delta', text: 'hi' }),
  stop(1),
  open(2, { type: 'tool_use', id: 't', name: 'a', input: {} }),
  piece(2, { type: 'input_json_delta', partial_json: '{"a":' }),
  piece(2, { type: 'input_json_delta', partial_json: '1}' }),
  stop(2),
  ...end,
];

describe("parsing a provider's stream", () => {
  it('returns one message-end for a complete stream, and no message-end for a stream that stops earlier', () => {
    expect(parse(whole).filter(({ type }) => type === 'message-end')).toHaveLength(1);
    for (let length = 0; length < whole.length; length += 1) {
      expect(parse(whole.slice(0, length)).map(({ type }) => type)).not.toContain('message-end');
    }
  });

  it('returns no message-end for a stream cut off at any byte', () => {
    const bytes = Buffer.from(whole.map(frame).join(''));
    const terminator = bytes.lastIndexOf('event: message_stop');
    for (let length = 0; length < terminator; length += 1) {
      const parser = messages.provider.openStreamParser();
      let events: StreamEvent[] = [];
      // The parser throws if the stream is cut off inside the JSON of the last event.
      try {
        events = [...parser.push(bytes.subarray(0, length)), ...parser.end()];
      } catch (error) {
        expect(error).toMatchObject({ code: 'upstream_invalid' });
      }
      expect(events.map(({ type }) => type)).not.toContain('message-end');
    }
  });

  it('merges usage: input includes cached input, and later counts replace earlier counts', () => {
    const cached = { input_tokens: 3, cache_read_input_tokens: 10, cache_creation_input_tokens: 4 };
    const usage = foldAnswer(
      parse([{ type: 'message_start', message: { usage: { ...cached, output_tokens: 1 } } }, ...end]),
    ).usage;
    expect(usage).toEqual({
      inputTokens: 17,
      outputTokens: 5,
      cachedInputTokens: 10,
      cacheWriteTokens: 4,
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool-calls'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['of_the_future', 'other'],
  ])('maps %s to %s and keeps the original finish reason', (rawReason, reason) => {
    const [finish] = parse([
      start,
      { type: 'message_delta', delta: { stop_reason: rawReason } },
      { type: 'message_stop' },
    ]).filter(({ type }) => type === 'finish');
    expect(finish).toEqual({ type: 'finish', choice: 0, reason, rawReason });
  });

  it('keeps unknown blocks complete, including their input and any fields sent later', () => {
    const events = parse([
      start,
      open(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      piece(0, { type: 'input_json_delta', partial_json: '{"id":1234567890' }),
      piece(0, { type: 'input_json_delta', partial_json: '1234567890}' }),
      stop(0),
      open(1, { type: 'redacted_thinking', data: 'secret' }),
      stop(1),
      open(2, { type: 'compaction', content: null }),
      piece(2, { type: 'compaction_delta', content: 'short' }),
      stop(2),
      ...end,
    ]);
    const answer = foldAnswer(events);
    expect(answer.choices[0]!.parts[1]).toEqual({ type: 'thinking', text: '', redacted: 'secret' });
    const rendered = messages.client.renderResponse(answer, { id: '', model: '', createdAt: 0 });
    expect(JSON.stringify(rendered.content)).toBe(
      '[{"type":"server_tool_use","id":"s","name":"web_search","input":{"id":12345678901234567890}},' +
        '{"type":"redacted_thinking","data":"secret"},{"type":"compaction","content":"short"}]',
    );
  });

  it('returns an empty object for a call without arguments, streamed and non-streaming', () => {
    const call = { type: 'tool_use', id: 't', name: 'a', input: {} };
    const silent = { type: 'input_json_delta', partial_json: '' };
    const plain = Buffer.from(JSON.stringify({ id: 'r', content: [call], stop_reason: 'tool_use' }));
    const answers = [
      parse([start, open(0, call), stop(0), ...end]),
      parse([start, open(0, call), piece(0, silent), stop(0), ...end]),
      parse([start, open(0, call), ...end]),
      messages.provider.parseResponse(plain),
    ];
    for (const events of answers) {
      expect(foldAnswer(events).choices[0]?.parts).toMatchObject([{ name: 'a', argumentsText: '{}' }]);
    }
  });

  it('returns an error event for an error in the stream, and no event after the error', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const events = parse([start, { type: 'error', error }, ...end]);
    expect(events.slice(-1)).toMatchObject([
      { type: 'error', message: 'Overloaded', errorType: 'overloaded_error' },
    ]);
  });

  it('skips unknown events and deltas, and accepts blocks without an end', () => {
    const events = parse([
      { type: 'of_the_future' },
      start,
      open(0, { type: 'text', text: 'a' }),
      piece(0, { type: 'of_the_future', text: 'x' }),
      ...end,
    ]);
    expect(foldAnswer(events).choices[0]!.parts).toEqual([{ type: 'text', text: 'a' }]);
    expect(events.map(({ type }) => type)).toContain('text-end');
  });

  it.each([
    ['a second message', [start, start]],
    ['a delta for a block that is not open', [start, piece(0, { type: 'text_delta', text: 'x' })]],
    ['too many open blocks', [start, ...Array.from({ length: 300 }, (_, at) => open(at, { type: 'text' }))]],
    [
      "a server tool's input that is not JSON",
      [
        start,
        open(0, { type: 'server_tool_use' }),
        piece(0, { type: 'input_json_delta', partial_json: '{' }),
        stop(0),
      ],
    ],
  ])('rejects %s', (_, events) => {
    expect(() => parse(events)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
  });

  it('limits the number of fields, because each event copies all fields', () => {
    const made = (at: number) => ({ [`made_up_${at}`]: at });
    const pieces = Array.from({ length: 300 }, (_, at) => piece(0, { type: 'x_delta', ...made(at) }));
    expect(() => parse([start, open(0, { type: 'x' }), ...pieces])).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
    const figures = Array.from({ length: 600 }, (_, at) => ({
      type: 'message_delta',
      delta: {},
      usage: { input_tokens: 3, output_tokens: at, ...made(at) },
    }));
    const usages = parse([start, ...figures]).filter((event) => event.type === 'usage');
    expect(usages.at(-1)?.usage).toEqual({ inputTokens: 3, outputTokens: 599 });
    for (const { extensions } of usages)
      expect(Object.keys(extensions?.messages ?? {}).length).toBeLessThanOrEqual(256);
  });

  it('rejects data that is not JSON and events above the size limit', () => {
    const push = (text: string) => () => messages.provider.openStreamParser().push(Buffer.from(text));
    expect(push('event: message_start\ndata: {"type":\n\n')).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
    expect(push(`data: "${'x'.repeat(10_000_000)}`)).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
  });
});

describe("parsing a provider's non-streaming response", () => {
  const parsePlain = (body: unknown) => messages.provider.parseResponse(Buffer.from(JSON.stringify(body)));

  it('returns the same events as for the equivalent stream', () => {
    const body = {
      id: 'msg_1',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 't', name: 'a', input: { a: 1 } },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 5 },
    };
    expect(foldAnswer(parsePlain(body))).toEqual(foldAnswer(parse(whole)));
  });

  it('returns an error event for an error with status 200', () => {
    const error = { type: 'api_error', message: 'Internal' };
    expect(parsePlain({ type: 'error', error })).toMatchObject([{ type: 'error', message: 'Internal' }]);
  });

  it.each([[{}], [{ content: 'x' }], [[]], [null]])('rejects %j', (body) => {
    expect(() => parsePlain(body)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
  });
});

describe('the diagnostics of a prompt cache', () => {
  const missOf = (diagnostics: unknown) => {
    const message = { ...start.message, content: [], diagnostics };
    const streamed = parse([{ type: 'message_start', message }, ...end]);
    const plain = messages.provider.parseResponse(Buffer.from(JSON.stringify(message)));
    const misses = [streamed, plain].map((events) => events.reduce(summarize, createSummary()).cacheMiss);
    expect(misses[0]).toEqual(misses[1]);
    return misses[0];
  };

  it('contain the changed part of the prompt, and the number of tokens', () => {
    const reason = { type: 'tools_changed', cache_missed_input_tokens: 812 };
    expect(missOf({ cache_miss_reason: reason })).toEqual({ part: 'tools', tokens: 812 });
    expect(missOf({ cache_miss_reason: { type: 'system_changed' } })).toEqual({
      part: 'system',
      tokens: null,
    });
  });

  it('are ignored if they contain no explanation', () => {
    for (const type of ['unavailable', 'previous_message_not_found', 'changed', null])
      expect(missOf({ cache_miss_reason: { type } })).toBeUndefined();
    for (const diagnostics of [null, { cache_miss_reason: null }, 'text', undefined])
      expect(missOf(diagnostics)).toBeUndefined();
  });
});
