import {
  BedrockRuntimeClient,
  type ConverseStreamOutput,
  type Tool,
  type ToolInputSchema,
} from '@aws-sdk/client-bedrock-runtime';
import type { ReplayControls } from '@gateway/testing';
import { encodeEventStream } from '@gateway/wire-formats';
import type { FunctionTool } from './github-tools.fixture.ts';

/**
 * Creates a client of the unmodified AWS SDK with the HTTP/2 handler. The client sends the gateway API key as
 * a bearer token.
 */
export function connectBedrock(endpoint: string, apiKey: string, maxAttempts = 1): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint,
    token: { token: apiKey },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts,
  });
}

/** A non-streaming text response in the Converse format. */
export const said = {
  metrics: { latencyMs: 100 },
  output: { message: { role: 'assistant', content: [{ text: 'Hello, ü🌍.' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 },
};

export function plainConverse(body: unknown): ReplayControls {
  return { status: 200, body, headers: { 'content-type': 'application/json' } };
}

/** Returns an error response in Bedrock's format. The exception name is in a response header. */
export function converseError(status: number, exception: string): ReplayControls {
  const type = `${exception}:http://internal.amazon.com/coral/com.amazon.bedrock/`;
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': type };
  return { status, headers, body: { message: 'provider error' } };
}

type Event = readonly [type: string, payload: unknown];

export const streamedEvents: readonly Event[] = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello, ' } }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'ü🌍.' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['messageStop', { stopReason: 'end_turn' }],
  ['metadata', { usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 }, metrics: { latencyMs: 100 } }],
];

/** Encodes stream events in the binary event stream format of AWS. */
export function streamedConverse(events: readonly Event[], exception?: Event): ReplayControls {
  const frames = events.map(([type, payload]) => encodeFrame(type, payload));
  if (exception) frames.push(encodeFrame(...exception, 'exception'));
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  return { status: 200, headers, body: Buffer.concat(frames) };
}

/** Encodes one event or exception of a converse stream. */
export function encodeFrame(
  type: string,
  payload: unknown,
  kind: 'event' | 'exception' = 'event',
): Uint8Array {
  const headers = { [`:${kind}-type`]: type, ':content-type': 'application/json', ':message-type': kind };
  return encodeEventStream({
    headers: new Map(
      Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }] as const),
    ),
    payload: Buffer.from(JSON.stringify(payload)),
  });
}

/** Reads a converse stream to its end. Returns the stream's text and, if the stream failed, the error. */
export async function readConverseStream(
  stream: AsyncIterable<ConverseStreamOutput> | undefined,
): Promise<{ events: ConverseStreamOutput[]; text: string; thrown: unknown }> {
  const events: ConverseStreamOutput[] = [];
  let thrown: unknown;
  try {
    for await (const event of stream ?? []) events.push(event);
  } catch (error) {
    thrown = error;
  }
  const text = events.map((event) => event.contentBlockDelta?.delta?.text ?? '').join('');
  return { events, text, thrown };
}

export function toConverseTool({
  function: { name, description, parameters },
}: FunctionTool): Tool.ToolSpecMember {
  const json = parameters as ToolInputSchema.JsonMember['json'];
  return { toolSpec: { name, description, inputSchema: { json } } };
}
