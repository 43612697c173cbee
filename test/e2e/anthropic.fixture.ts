import Anthropic from '@anthropic-ai/sdk';
import type { ReplayControls } from '@gateway/testing';
import type { FunctionTool } from './github-tools.fixture.ts';

/** Creates a client of Anthropic's SDK that sends the API key as a bearer token. */
export function connectAnthropic(baseURL: string, apiKey: string, maxRetries = 0): Anthropic {
  return new Anthropic({ baseURL, apiKey, maxRetries });
}

/**
 * Creates a client of Anthropic's SDK that sends the API key in the `x-api-key` header, as older clients do.
 */
export function connectByXApiKey(baseURL: string, apiKey: string): Anthropic {
  const defaultHeaders = { authorization: null, 'x-api-key': apiKey };
  return new Anthropic({ baseURL, apiKey, maxRetries: 0, defaultHeaders });
}

export function plainMessages(body: unknown): ReplayControls {
  return { status: 200, body, headers: { 'content-type': 'application/json' } };
}

/** A response with signed reasoning, and with whitespace that the gateway's serializers never write. */
export const thoughtful = `{ "id":"msg_1", "type":"message","role":"assistant","model":"claude-sonnet-4-5",
  "content":[{"type":"thinking","thinking":"h\\u006dm \\/ ü🌍","signature":"EqQB+sig\\/nature=="},
  {"type":"redacted_thinking","data":"Em9w=="},{"type":"text","text":"Hello."}],
  "stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":20}}`;

const streamed: readonly (readonly [string, object])[] = [
  [
    'message_start',
    {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    },
  ],
  ['content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }],
  ['content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'hmm' } }],
  ['content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'EqQB+sig/nature==' } }],
  ['content_block_stop', { index: 0 }],
  ['content_block_start', { index: 1, content_block: { type: 'text', text: '' } }],
  ['content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Hello, ü🌍.' } }],
  ['content_block_stop', { index: 1 }],
  [
    'message_delta',
    { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 20 } },
  ],
  ['message_stop', {}],
];

const frames = streamed.map(
  ([type, fields]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
);

/** The number of stream bytes before the text ends. */
export const bytesBeforeTextEnds = Buffer.byteLength(frames.slice(0, 7).join(''));

/**
 * Returns a streamed response.
 * @param ending the new end of the stream, after the last text event
 */
export function streamedMessages(ending?: string): ReplayControls {
  const body = ending === undefined ? frames.join('') : frames.slice(0, 7).join('') + ending;
  return { status: 200, body, headers: { 'content-type': 'text/event-stream' } };
}

export function toMessagesTool({
  function: { name, description, parameters },
}: FunctionTool): Anthropic.Tool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: { type: 'object', ...parameters },
  };
}
