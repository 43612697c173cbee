import type { StreamEvent } from '@gateway/interchange';
import { SseDecoder } from '../../sse/sse-frames.ts';
import { messages } from '../messages.ts';
import { renderStreamEvent } from './render-stream.ts';
import { beginStreamRender } from './stream-blocks.ts';

type Data = Readonly<Record<string, unknown>>;

const options = { id: 'msg_x', model: 'm', createdAt: 0, includesUsage: true };

function render(events: readonly StreamEvent[]): Data[] {
  const renderer = messages.client.openStreamRenderer(options);
  const text = events.map((event) => renderer.render(event)).join('');
  return new SseDecoder().push(Buffer.from(text)).map(({ event, data }) => {
    const parsed = JSON.parse(data) as Data;
    expect(event).toBe(parsed.type);
    return parsed;
  });
}

const start = { type: 'message-start', format: 'chat-completions', id: 'c1', model: 'gpt' } as const;
const at = (block: number) => ({ choice: 0, block });
const finish = (reason: 'stop' | 'tool-calls' = 'stop') =>
  ({ type: 'finish', choice: 0, reason, rawReason: 'their_word' }) as const;
const usage = {
  type: 'usage',
  usage: { inputTokens: 10, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 2 },
} as const;
const end = { type: 'message-end' } as const;
const text = (block: number, delta: string): StreamEvent[] => [
  { type: 'text-start', ...at(block) },
  { type: 'text-delta', ...at(block), text: delta },
  { type: 'text-end', ...at(block) },
];

describe('a stream to a client', () => {
  it('drops ended blocks from its state, so that events late in a long response cost no more than early events', () => {
    let state = beginStreamRender(options);
    for (const event of [start, ...Array.from({ length: 20 }, (_, block) => text(block, 'a')).flat()]) {
      [state] = renderStreamEvent(state, event);
      expect(state.blocks.size).toBeLessThanOrEqual(1);
    }
    expect(state.nextIndex).toBe(20);
  });

  it('has the event order that the official SDKs expect, for every provider', () => {
    const frames = render([start, ...text(0, 'hi'), finish(), usage, end]);
    expect(frames.map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(frames[0]!.message).toMatchObject({ id: 'msg_c1', model: 'gpt', content: [], stop_reason: null });
  });

  it.each([
    ['the exact count', [usage], { input_tokens: 4, cache_read_input_tokens: 6, output_tokens: 4 }],
    ['0 if the provider sends no usage', [], { input_tokens: 0, output_tokens: 0 }],
  ])('starts with an estimate of the input tokens, and ends with %s', (_, reported, expected) => {
    const renderer = messages.client.openStreamRenderer({ ...options, estimateInputTokens: () => 12 });
    const events = [start, ...text(0, 'hi'), finish(), ...reported, end];
    const frames = new SseDecoder().push(Buffer.from(events.map((each) => renderer.render(each)).join('')));
    const [first, last] = [frames[0]!, frames.at(-2)!].map(({ data }) => JSON.parse(data) as Data);
    expect(first!.message).toMatchObject({ usage: { input_tokens: 12, output_tokens: 0 } });
    expect(last!.usage).toMatchObject(expected);
  });

  it('sends usage and finish reason last, and counts cached input separately', () => {
    expect(render([start, ...text(0, 'hi'), finish('tool-calls'), usage, end]).at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: {
        input_tokens: 4,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 6,
        output_tokens: 4,
        output_tokens_details: { thinking_tokens: 2 },
      },
    });
  });

  it('ends each block before the next one starts, and numbers blocks in the order sent', () => {
    const call = (block: number) =>
      ({ type: 'tool-call-start', ...at(block), id: `t${block}`, name: 'a', kind: 'function' }) as const;
    const piece = (block: number, argumentsText: string) =>
      ({ type: 'tool-call-delta', ...at(block), argumentsText }) as const;
    const opaque = { type: 'opaque', extensions: { gemini: { part: 1 } } } as const;
    const frames = render([
      start,
      { type: 'part', ...at(0), part: opaque },
      call(1),
      piece(1, '{}'),
      call(2),
      piece(2, '{"b":1}'),
      { type: 'tool-call-end', ...at(1) },
      { type: 'tool-call-end', ...at(2) },
      finish('tool-calls'),
      end,
    ]);
    expect(frames.slice(2, -2).map(({ type, index }) => [type, index])).toEqual([
      ['content_block_start', 0],
      ['content_block_delta', 0],
      ['content_block_stop', 0],
      ['content_block_start', 1],
      ['content_block_delta', 1],
      ['content_block_stop', 1],
    ]);
  });

  it('sends thinking with its signature, and redacted thinking as redacted', () => {
    const frames = render([
      start,
      { type: 'thinking-start', ...at(0) },
      { type: 'thinking-delta', ...at(0), text: 'hm' },
      { type: 'thinking-end', ...at(0), signature: 'sig' },
      { type: 'thinking-start', ...at(1) },
      { type: 'thinking-end', ...at(1), redacted: 'secret' },
      { type: 'thinking-start', ...at(2) },
      { type: 'thinking-end', ...at(2), signature: 'only' },
      end,
    ]);
    expect(frames.slice(2, -2)).toEqual([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'secret' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'signature_delta', signature: 'only' } },
      { type: 'content_block_stop', index: 2 },
    ]);
  });

  it('sends only the first choice', () => {
    const other: StreamEvent[] = [
      { type: 'text-start', choice: 1, block: 0 },
      { type: 'text-delta', choice: 1, block: 0, text: 'other' },
      { type: 'finish', choice: 1, reason: 'length', rawReason: 'length' },
    ];
    const frames = render([start, ...other, ...text(0, 'one'), finish(), end]);
    expect(JSON.stringify(frames)).not.toContain('other');
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' } });
  });

  it('sends refusals as text, and citations only with a known location', () => {
    const frames = render([
      start,
      { type: 'refusal-start', ...at(0) },
      { type: 'refusal-delta', ...at(0), text: 'no' },
      { type: 'refusal-end', ...at(0) },
      { type: 'text-start', ...at(1) },
      { type: 'citation', ...at(1), citation: { title: 'T', url: 'https://t.test', citedText: 'c' } },
      { type: 'citation', ...at(1), citation: { title: 'nowhere' } },
      { type: 'text-end', ...at(1) },
      end,
    ]);
    expect(frames[3]).toMatchObject({ delta: { type: 'text_delta', text: 'no' } });
    expect(frames.filter(({ delta }) => (delta as Data | undefined)?.type === 'citations_delta')).toEqual([
      {
        type: 'content_block_delta',
        index: 1,
        delta: {
          type: 'citations_delta',
          citation: {
            type: 'web_search_result_location',
            cited_text: 'c',
            url: 'https://t.test',
            title: 'T',
            encrypted_index: '',
          },
        },
      },
    ]);
  });

  it("sends a provider's error as the format's error event, without a terminator", () => {
    const frames = render([start, ...text(0, 'a'), { type: 'error', message: 'boom', errorType: 'x' }]);
    expect(frames.at(-1)).toEqual({ type: 'error', error: { type: 'x', message: 'boom' } });
    const ended = render([start, ...text(0, 'a'), { type: 'error', message: 'boom' }, finish(), usage, end]);
    expect(ended.at(-1)).toEqual({ type: 'error', error: { type: 'api_error', message: 'boom' } });
    expect(frames.map(({ type }) => type)).not.toContain('message_stop');
  });

  it("sends the gateway's own errors as error events, and an error text cannot inject an event", () => {
    const rendered = messages.client.renderStreamError(
      {
        status: 502,
        type: 'api_error',
        code: 'upstream_invalid',
        message: 'bad\n\nevent: message_stop\ndata: {}',
        param: null,
        source: 'gateway',
      },
      'req',
    );
    const frames = new SseDecoder().push(Buffer.from(rendered));
    expect(frames.map(({ event }) => event)).toEqual(['error']);
    expect(JSON.parse(frames[0]!.data)).toMatchObject({
      type: 'error',
      error: { type: 'api_error', details: { error_code: 'upstream_invalid' } },
      request_id: 'req',
    });
  });
});

describe('an error response', () => {
  it.each([
    [400, 'invalid_request_error', 'invalid_request_error'],
    [401, 'authentication_error', 'authentication_error'],
    [403, 'permission_error', 'permission_error'],
    [404, 'invalid_request_error', 'not_found_error'],
    [413, 'invalid_request_error', 'request_too_large'],
    [429, 'tokens', 'rate_limit_error'],
    [500, 'server_error', 'api_error'],
    [503, 'overloaded_error', 'overloaded_error'],
    [529, 'api_error', 'overloaded_error'],
    [402, 'insufficient_quota', 'billing_error'],
  ])('with status %i and type %s has the type %s', (status, type, expected) => {
    const error = { status, type, code: null, message: 'm', param: null, source: 'provider' } as const;
    const rendered = messages.client.renderError(error, 'req');
    expect(rendered).toMatchObject({ status, headers: { 'request-id': 'req' } });
    expect(JSON.parse(rendered.body)).toEqual({
      type: 'error',
      error: { type: expected, message: 'm' },
      request_id: 'req',
    });
  });
});
