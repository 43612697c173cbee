import { githubTools } from '../e2e/github-tools.fixture.ts';
import type { Sent } from '../e2e/http.fixture.ts';
import type { Edge, Recorder } from './recorder.ts';

/** A client's API key, and the tools that the key's tool list may deny. */
export interface ChatKey {
  readonly id: string;
  secret: string;
  /** The tools that recent changes added to the key's deny list, newest last. */
  readonly marks: string[];
}

/** A tool that every API key with a fixed tool list denies during the whole run. */
export const forbiddenTool = 'forbidden_tool';
const tools = githubTools.slice(0, 24);
const marksMax = 3;

const describeTool = (name: string) => ({
  name,
  description: `The tool ${name}.`,
  parameters: { type: 'object', properties: {} },
});

interface Format {
  readonly kind: 'chat' | 'messages' | 'responses';
  readonly render: (content: string, names: readonly string[], stream: boolean) => Sent;
  /** The text that ends a complete stream. */
  readonly streamEnd: string;
}

const formats: readonly Format[] = [
  {
    kind: 'chat',
    streamEnd: 'data: [DONE]\n\n',
    render: (content, names, stream) => ({
      path: '/v1/chat/completions',
      body: {
        ...{ model: 'openai/gpt-4o', stream, messages: [{ role: 'user', content }] },
        ...(stream ? { stream_options: { include_usage: true } } : {}),
        ...withTools(names, (tool) => ({ type: 'function', function: tool }), tools),
      },
    }),
  },
  {
    kind: 'messages',
    streamEnd: 'data: {"type":"message_stop"}\n\n',
    render: (content, names, stream) => ({
      path: '/v1/messages',
      body: {
        ...{ model: 'anthropic/claude-sonnet-4-5', stream, max_tokens: 100 },
        messages: [{ role: 'user', content }],
        ...withTools(
          names,
          ({ parameters, ...tool }) => ({ ...tool, input_schema: parameters }),
          tools.map(({ function: { parameters, name, description } }) => ({
            ...{ name, description },
            input_schema: parameters,
          })),
        ),
      },
    }),
  },
  {
    kind: 'responses',
    streamEnd: '}\n\n',
    render: (content, names, stream) => ({
      path: '/v1/responses',
      body: {
        ...{ model: 'openai/gpt-4o', stream, store: false, input: [{ role: 'user', content }] },
        ...withTools(
          names,
          (tool) => ({ type: 'function', ...tool }),
          tools.map(({ function: { parameters, name, description } }) => ({
            ...{ type: 'function', name, description, parameters },
          })),
        ),
      },
    }),
  },
];

function withTools(
  names: readonly string[],
  render: (tool: ReturnType<typeof describeTool>) => object,
  common: readonly object[],
): object {
  return names.length === 0 ? {} : { tools: [...common, ...names.map((name) => render(describeTool(name)))] };
}

/** Sends one chat in a random format, with or without streaming, and with or without tools. */
export async function sendChat(
  recorder: Recorder,
  account: { readonly accountId: string },
  key: ChatKey,
  edge: Edge,
  random: () => number,
): Promise<boolean> {
  const format = formats[Math.floor(random() * formats.length)]!;
  const stream = random() < 0.5;
  const names = random() < 0.7 ? [forbiddenTool, ...key.marks.slice(-marksMax)] : [];
  const id = recorder.nextId();
  const content = `Create an issue titled "${id}" in octo/hello. This is operation <${id}>.`;
  const answer = await recorder.send({
    ...{ id, kind: format.kind, accountId: account.accountId, keyId: key.id, edge },
    sent: { ...format.render(content, names, stream), key: key.secret },
    isComplete: (text) => !stream || text.endsWith(format.streamEnd),
  });
  return answer?.status === 200;
}
