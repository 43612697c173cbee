/** The fields of a provider request that a scripted model reads, in one data type for all three formats. */
import type { JsonObject } from '@gateway/interchange';

export type AgentFormat = 'chat-completions' | 'messages' | 'responses';

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** The namespace of a tool in a Responses API request. */
  readonly namespace?: string;
  /** Whether the provider loads the tool's definition only after a tool search. */
  readonly isDeferred?: boolean;
}

export type PromptItem =
  | { readonly kind: 'user' | 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: JsonObject }
  | { readonly kind: 'result'; readonly text: string };

export interface Prompt {
  readonly format: AgentFormat;
  readonly tools: readonly OfferedTool[];
  readonly items: readonly PromptItem[];
  /** The request's text in the order of the provider's prompt cache, which is tools, instructions and messages. */
  readonly cached: string;
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

/** The prompt cache ignores cache markers. */
const render = (value: unknown): string =>
  JSON.stringify(value ?? [], (key, part: unknown) => (key === 'cache_control' ? undefined : part));

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
    items: listOf(request.messages).flatMap(({ role, content, tool_calls }): PromptItem[] => {
      if (role === 'tool') return [{ kind: 'result', text: textOf(content) }];
      if (role === 'user') return [{ kind: 'user', text: textOf(content) }];
      if (role !== 'assistant') return [];
      const calls = listOf(tool_calls).map((call): PromptItem => {
        const { name, arguments: given } = objectOf(call.function);
        return { kind: 'call', name: wordOf(name), arguments: parseArguments(given) };
      });
      return [{ kind: 'assistant', text: textOf(content) }, ...calls];
    }),
    cached: render(request.tools) + render(request.messages),
  };
}

function readMessages(request: JsonObject): Prompt {
  return {
    format: 'messages',
    tools: listOf(request.tools).map(readTool),
    items: listOf(request.messages).flatMap(({ role, content }) => {
      const kind = role === 'assistant' ? 'assistant' : 'user';
      if (typeof content === 'string') return [{ kind, text: content } as const];
      return listOf(content).map((block): PromptItem => {
        if (block.type === 'tool_result') return { kind: 'result', text: textOf(block.content) };
        if (block.type !== 'tool_use') return { kind, text: wordOf(block.text) };
        return { kind: 'call', name: wordOf(block.name), arguments: objectOf(block.input) };
      });
    }),
    cached: render(request.tools) + render(request.system) + render(request.messages),
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
      if (item.type === 'function_call')
        return [{ kind: 'call', name: wordOf(item.name), arguments: parseArguments(item.arguments) }];
      if (item.type === 'function_call_output') return [{ kind: 'result', text: textOf(item.output) }];
      if (item.role === 'user') return [{ kind: 'user', text: textOf(item.content) }];
      return item.role === 'assistant' ? [{ kind: 'assistant', text: textOf(item.content) }] : [];
    }),
    cached: render(request.tools) + render(request.instructions) + render(request.input),
  };
}
