/** The fields of a provider request that a scripted model reads, in the same form for all three formats. */
import type { JsonObject } from '@gateway/interchange';
import { listAdditions } from '@gateway/testing';
import type { AgentFormat } from '../../tools/agent/agents.ts';

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** The tool's namespace in a Responses API request. */
  readonly namespace?: string;
  /** Whether the provider loads the tool's definition only after a tool search. */
  readonly isDeferred?: boolean;
}

export type PromptItem =
  | { readonly kind: 'user' | 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: JsonObject }
  | { readonly kind: 'result'; readonly id: string; readonly text: string };

export interface Prompt {
  readonly format: AgentFormat;
  readonly tools: readonly OfferedTool[];
  readonly items: readonly PromptItem[];
  /** Names of the deferred tools that the transcript loads, by a search or by a message of the gateway. */
  readonly loaded: readonly string[];
  /** Whether the provider caches the prompt. In the messages format, caching requires a cache marker in the request. */
  readonly isCached: boolean;
  /** The tool list and the instructions as text, without cache markers. */
  readonly head: readonly [tools: string, instructions: string];
  /** The messages as text, without cache markers. */
  readonly messages: readonly string[];
}

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectOf) : []);
const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the text of message content, which is a string or a list of content blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => wordOf(block.text) || textOf(block.content))
    .join('\n');
}

function parseArguments(text: unknown): JsonObject {
  try {
    return objectOf(JSON.parse(wordOf(text)) as unknown);
  } catch {
    return {};
  }
}

/** The provider's prompt cache ignores cache markers. */
const render = (value: unknown): string =>
  JSON.stringify(value ?? [], (key, part: unknown) => (key === 'cache_control' ? undefined : part));

const renderEach = (value: unknown): string[] => (Array.isArray(value) ? value.map(render) : [render(value)]);

/** The text of a request in the order of the provider's prompt cache, which is tools, instructions and messages. */
export const cachedText = ({ head, messages }: Prompt): string => [...head, ...messages].join('');

export function readPrompt(url: string, body: Buffer): Prompt {
  const request = objectOf(JSON.parse(body.toString('utf8')) as unknown);
  if (url.includes('/messages')) return readMessages(request);
  return url.endsWith('/responses') ? readResponses(request) : readChat(request);
}

function readTool({ name, description, parameters, input_schema, defer_loading }: JsonObject): OfferedTool {
  return {
    name: wordOf(name),
    description: wordOf(description),
    parameters: objectOf(parameters ?? input_schema),
    ...(defer_loading === true ? { isDeferred: true } : {}),
  };
}

function readChat(request: JsonObject): Prompt {
  return {
    format: 'chat-completions',
    tools: listOf(request.tools).map((tool) => readTool(objectOf(tool.function))),
    items: listOf(request.messages).flatMap(({ role, content, tool_calls, tool_call_id }): PromptItem[] => {
      if (role === 'tool') return [{ kind: 'result', id: wordOf(tool_call_id), text: textOf(content) }];
      if (role === 'user') return [{ kind: 'user', text: textOf(content) }];
      if (role !== 'assistant') return [];
      const calls = listOf(tool_calls).map((call): PromptItem => {
        const { name, arguments: given } = objectOf(call.function);
        return { kind: 'call', id: wordOf(call.id), name: wordOf(name), arguments: parseArguments(given) };
      });
      return [{ kind: 'assistant', text: textOf(content) }, ...calls];
    }),
    loaded: [],
    isCached: true,
    head: [render(request.tools), ''],
    messages: renderEach(request.messages),
  };
}

/** Returns the names of the deferred tools that a message loads. */
function listLoaded(message: JsonObject): string[] {
  const references = listOf(message.content).flatMap(({ content }) =>
    listOf(objectOf(content).tool_references),
  );
  return [...references.map(({ tool_name }) => wordOf(tool_name)), ...listAdditions(message)];
}

/** The provider puts the definition of a deferred tool after the message that loads the tool. */
function readMessages(request: JsonObject): Prompt {
  const tools = listOf(request.tools);
  const messages = listOf(request.messages);
  const definitionOf = (name: string): string => render(tools.find((tool) => tool.name === name));
  return {
    format: 'messages',
    tools: tools.map(readTool),
    items: messages.flatMap(({ role, content }) => {
      const kind = role === 'assistant' ? 'assistant' : 'user';
      if (typeof content === 'string') return [{ kind, text: content } as const];
      return listOf(content).map((block): PromptItem => {
        if (block.type === 'tool_result')
          return { kind: 'result', id: wordOf(block.tool_use_id), text: textOf(block.content) };
        if (block.type !== 'tool_use') return { kind, text: wordOf(block.text) };
        const called = { id: wordOf(block.id), name: wordOf(block.name) };
        return { kind: 'call', ...called, arguments: objectOf(block.input) };
      });
    }),
    loaded: messages.flatMap(listLoaded),
    isCached: JSON.stringify(request).includes('"cache_control":'),
    head: [render(tools.filter((tool) => tool.defer_loading !== true)), render(request.system)],
    messages: messages.map((message) => render(message) + listLoaded(message).map(definitionOf).join('')),
  };
}

function readResponses(request: JsonObject): Prompt {
  const tools = listOf(request.tools).flatMap((tool): OfferedTool[] => {
    if (tool.type === 'function') return [readTool(tool)];
    if (tool.type !== 'namespace') return [];
    return listOf(tool.tools).map((each) => ({ ...readTool(each), namespace: wordOf(tool.name) }));
  });
  return {
    format: 'responses',
    tools,
    items: listOf(request.input).flatMap((item): PromptItem[] => {
      const id = wordOf(item.call_id);
      if (item.type === 'function_call')
        return [{ kind: 'call', id, name: wordOf(item.name), arguments: parseArguments(item.arguments) }];
      if (item.type === 'function_call_output') return [{ kind: 'result', id, text: textOf(item.output) }];
      if (item.role === 'user') return [{ kind: 'user', text: textOf(item.content) }];
      return item.role === 'assistant' ? [{ kind: 'assistant', text: textOf(item.content) }] : [];
    }),
    loaded: [],
    isCached: true,
    head: [render(request.tools), render(request.instructions)],
    messages: renderEach(request.input),
  };
}
