import { SseDecoder } from '@gateway/wire-formats';
import type { Agent, AgentAnswer } from './agent-clients.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * An agent on `/v1/responses` that keeps its own transcript. The message of a response is a list of items.
 * The agent sends the items back exactly as received.
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
        tools: tools.map(({ function: definition }) => ({ type: 'function', ...definition })),
        ...(stream ? { stream } : {}),
      };
      const { status, text } = await send(baseUrl, { path: '/v1/responses', key, body });
      return readResponse(status, text, stream && status === 200);
    },
  };
}

function readResponse(status: number, text: string, isStream: boolean): AgentAnswer {
  const response = isStream ? readStream(text) : (JSON.parse(text) as Item);
  const output = (response?.['output'] ?? []) as Item[];
  const calls = output.flatMap(({ type, call_id, name }) =>
    type === 'function_call' ? [{ id: String(call_id), name: String(name), arguments: {} }] : [],
  );
  const isWhole = response?.['status'] === 'completed';
  return {
    ...{ status, message: output, calls, error: isWhole ? null : text, isWhole, text },
    ...{ said: '', reason: null, blocks: [], inputTokens: 0, outputTokens: 0, header: () => null },
  };
}

/** Returns the response in the last event. Returns undefined if the stream was cut off. */
function readStream(text: string): Item | undefined {
  const events = new SseDecoder().push(Buffer.from(text)).map(({ data }) => JSON.parse(data) as Item);
  const done = events.find(({ type }) => type === 'response.completed');
  return done?.['response'] as Item | undefined;
}
