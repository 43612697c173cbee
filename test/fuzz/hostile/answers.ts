import type { ReplayControls } from '@gateway/testing';
import { encodeFrame } from '../../e2e/bedrock.fixture.ts';
import type { ChatEndpoint } from './requests.ts';

type Json = Readonly<Record<string, unknown>>;

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
/** Chunk sizes of a stream in bytes. The chunks split events and characters at all positions. */
const chunkBytes = [1_000, 1, 7, 16_000];

/** Returns a provider response with a hostile text, in the format of the given endpoint. */
export function writeAnswer(format: ChatEndpoint, isStream: boolean, text: string): ReplayControls {
  if (!isStream) return { status: 200, headers: json, body: plain[format](text) };
  const body = streams[format](text);
  const headers = format === 'converse' ? { 'content-type': 'application/vnd.amazon.eventstream' } : events;
  return { status: 200, headers, body, chunkBytes };
}

const plain: Readonly<Record<ChatEndpoint, (text: string) => Json>> = {
  'chat-completions': (text) => ({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, tool_calls: [call(text)] },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  messages: (text) => ({
    ...{
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'tool_use',
      stop_sequence: null,
    },
    content: [
      { type: 'text', text },
      { type: 'tool_use', id: 'c', name: 'tool_0', input: { text } },
    ],
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  converse: (text) => ({
    output: {
      message: {
        role: 'assistant',
        content: [{ text }, { toolUse: { toolUseId: 'c', name: 'tool_0', input: { text } } }],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    metrics: { latencyMs: 1 },
  }),
};

const call = (text: string): Json => ({
  ...{ index: 0, id: 'c', type: 'function' },
  function: { name: 'tool_0', arguments: JSON.stringify({ text }) },
});

/** Splits a text into pieces of the given length, like a model that streams text. */
function cut(text: string, chars = 400): string[] {
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, at) =>
    text.slice(at * chars, (at + 1) * chars),
  );
}

const streams: Readonly<Record<ChatEndpoint, (text: string) => Buffer>> = {
  'chat-completions': (text) => {
    const chunk = (delta: Json, finish_reason: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const pieces = cut(JSON.stringify({ text })).map((piece) => ({
      tool_calls: [{ index: 0, function: { arguments: piece } }],
    }));
    return Buffer.from(
      [
        ...cut(text).map((content) => chunk({ content })),
        chunk({
          tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'tool_0', arguments: '' } }],
        }),
        ...pieces.map((delta) => chunk(delta)),
        chunk({}, 'tool_calls'),
        'data: [DONE]\n\n',
      ].join(''),
    );
  },
  messages: (text) => {
    const event = (type: string, members: Json): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
    const delta = (index: number, members: Json): string =>
      event('content_block_delta', { index, delta: members });
    return Buffer.from(
      [
        event('message_start', { message: { ...plain.messages(''), content: [], stop_reason: null } }),
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        ...cut(text).map((piece) => delta(0, { type: 'text_delta', text: piece })),
        event('content_block_stop', { index: 0 }),
        event('content_block_start', {
          index: 1,
          content_block: { type: 'tool_use', id: 'c', name: 'tool_0', input: {} },
        }),
        ...cut(JSON.stringify({ text })).map((piece) =>
          delta(1, { type: 'input_json_delta', partial_json: piece }),
        ),
        event('content_block_stop', { index: 1 }),
        event('message_delta', {
          delta: { stop_reason: 'tool_use', stop_sequence: null },
          usage: { output_tokens: 5 },
        }),
        event('message_stop', {}),
      ].join(''),
    );
  },
  converse: (text) => {
    const delta = (contentBlockIndex: number, members: Json): Uint8Array =>
      encodeFrame('contentBlockDelta', { contentBlockIndex, delta: members });
    return Buffer.concat([
      encodeFrame('messageStart', { role: 'assistant' }),
      ...cut(text).map((piece) => delta(0, { text: piece })),
      encodeFrame('contentBlockStop', { contentBlockIndex: 0 }),
      encodeFrame('contentBlockStart', {
        contentBlockIndex: 1,
        start: { toolUse: { toolUseId: 'c', name: 'tool_0' } },
      }),
      ...cut(JSON.stringify({ text })).map((piece) => delta(1, { toolUse: { input: piece } })),
      encodeFrame('contentBlockStop', { contentBlockIndex: 1 }),
      encodeFrame('messageStop', { stopReason: 'tool_use' }),
      encodeFrame('metadata', {
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        metrics: { latencyMs: 1 },
      }),
    ]);
  },
};

/** Returns a stream of chat completions that arrives one byte at a time. */
export function writeSingleBytes(text: string): ReplayControls {
  return { status: 200, headers: events, body: streams['chat-completions'](text), chunkBytes: 1 };
}

/** Returns a stream that arrives one byte at a time. One event in the stream never ends. */
export function writeUnfinishedEvent(bytes: number): ReplayControls {
  return { status: 200, headers: events, body: `data: ${'x'.repeat(bytes)}`, chunkBytes: 1 };
}

/** Returns a provider's error response that contains a hostile text. */
export function writeError(text: string): ReplayControls {
  return {
    status: 400,
    headers: json,
    body: { error: { message: text, type: 'invalid_request_error', code: null } },
  };
}
