import type { JsonObject } from '@gateway/interchange';
import { SseDecoder } from '@gateway/wire-formats';
import type { Agent, AgentAnswer } from './agent-clients.fixture.ts';
import { githubTools, type FunctionTool } from './github-tools.fixture.ts';
import { send, type Answer } from './http.fixture.ts';

/** Converts a tool from the chat-completions format to the Responses format. */
export const toResponsesTool = ({ function: definition }: FunctionTool): JsonObject => ({
  type: 'function',
  ...definition,
});

/**
 * An agent on `/v1/responses` that keeps its own transcript. In the Responses format, each agent message is a
 * list of items. The agent sends each received item back to the gateway unchanged.
 */
export function openResponsesAgent(given: {
  baseUrl: string;
  key: string;
  model: string;
}): Omit<Agent, 'format'> {
  const { baseUrl, key, model } = given;
  return {
    user: (text) => ({ role: 'user', content: [{ type: 'input_text', text }] }),
    results: ({ calls }, output) =>
      calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output })),
    async ask(input, { stream, tools = githubTools }) {
      const body = {
        ...{ model, input, store: false, include: ['reasoning.encrypted_content'] },
        tools: tools.map(toResponsesTool),
        ...(stream ? { stream } : {}),
      };
      return hear(await send(baseUrl, { path: '/v1/responses', key, body }), stream);
    },
  };
}

function hear(answer: Answer, stream: boolean): AgentAnswer {
  const { status, text, headers } = answer;
  const response = stream && status === 200 ? readStream(text) : (JSON.parse(text) as JsonObject);
  const output = (response?.['output'] ?? []) as JsonObject[];
  const usage = (response?.['usage'] ?? {}) as JsonObject;
  const isWhole = response?.['status'] === 'completed';
  return {
    ...{ status, text, message: output, isWhole, error: isWhole ? null : text, reason: null },
    said: output.flatMap(readText).join(''),
    calls: output.flatMap(readCall),
    blocks: output.map(({ type }) => String(type)),
    inputTokens: Number(usage['input_tokens'] ?? -1),
    outputTokens: Number(usage['output_tokens'] ?? -1),
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : null;
    },
  };
}

function readText({ type, content }: JsonObject): string[] {
  return type === 'message' ? (content as { text?: string }[]).map(({ text = '' }) => text) : [];
}

function readCall({ type, call_id, name, arguments: given }: JsonObject): AgentAnswer['calls'] {
  if (type !== 'function_call') return [];
  return [{ id: String(call_id), name: String(name), arguments: JSON.parse(String(given)) as unknown }];
}

/** Returns the response in the last event. Returns undefined if the stream was cut off. */
function readStream(text: string): JsonObject | undefined {
  const events = new SseDecoder().push(Buffer.from(text)).map(({ data }) => JSON.parse(data) as JsonObject);
  const done = events.find(({ type }) => type === 'response.completed');
  return done?.['response'] as JsonObject | undefined;
}
