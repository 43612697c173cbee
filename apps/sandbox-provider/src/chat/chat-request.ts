import { explainIssue, renderPath } from '@gateway/errors';
import { z } from 'zod';
import { ProviderError } from './provider-error.ts';

const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() })), z.null()])
  .optional();

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content,
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string(),
        function: z.looseObject({ name: z.string() }).optional(),
        custom: z.looseObject({ name: z.string() }).optional(),
      }),
    )
    .nullish(),
});

const toolName = z.string().min(1).max(256);

const tool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({
      name: toolName,
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
    })
    .optional(),
  custom: z.looseObject({ name: toolName, description: z.string().nullish() }).optional(),
});

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string(),
      schema: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);

const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
      z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string() }) }),
    ])
    .nullish(),
  response_format: responseFormat.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: z.literal(1, 'Only one choice is supported.').nullish(),
});

export type ChatMessage = z.output<typeof message>;

export interface OfferedTool {
  /** A custom tool takes text. A function takes arguments as JSON. */
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly description: string;
  /** The JSON Schema for the arguments of the tool. If the value is null, the tool takes no arguments. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** The functions and custom tools that the request offers. */
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
  /** The JSON Schema for a text response. If the value is null, the response may be any text. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Maximum number of tokens in the response. If the value is null, there is no limit. */
  readonly tokensMax: number | null;
  /** Size of the messages and tools as JSON, in bytes. Token usage is estimated from the size. */
  readonly promptBytes: number;
}

/** Parses a body. Throws `ProviderError` with status 400 and the name of the invalid field. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body, { error: explainIssue });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = renderPath(issue?.path ?? []);
  throw new ProviderError(400, `Invalid '${param}': ${issue?.message ?? 'not valid'}`, {
    param,
    code: 'invalid_value',
  });
}

/** Parses a chat request. Throws `ProviderError` with status 400 and the name of the invalid field. */
export function parseChatRequest(body: unknown): ChatRequest {
  const data = parseBody(chatRequest, body);
  const tools = (data.tools ?? []).flatMap(readTool);
  if (data.stream_options != null && data.stream !== true) {
    throw new ProviderError(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  }
  return {
    model: data.model,
    messages: data.messages,
    tools,
    toolChoice: readToolChoice(data.tool_choice, tools),
    schema: readSchema(data.response_format),
    stream: data.stream ?? false,
    includeUsage: data.stream_options?.include_usage ?? false,
    tokensMax: data.max_completion_tokens ?? data.max_tokens ?? null,
    promptBytes: byteLength(data.messages) + (data.tools == null ? 0 : byteLength(data.tools)),
  };
}

function readTool({ type, function: definition, custom }: z.output<typeof tool>): OfferedTool[] {
  if (type === 'function' && definition !== undefined) {
    const { name, description, parameters } = definition;
    return [{ kind: type, name, description: description ?? '', parameters: parameters ?? null }];
  }
  if (type !== 'custom' || custom === undefined) return [];
  return [{ kind: type, name: custom.name, description: custom.description ?? '', parameters: null }];
}

const anyObject = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};

function readSchema(format: z.output<typeof responseFormat> | null | undefined): ChatRequest['schema'] {
  if (format?.type === 'json_object') return anyObject;
  return format?.type === 'json_schema' ? (format.json_schema.schema ?? anyObject) : null;
}

function readToolChoice(
  choice: z.output<typeof chatRequest>['tool_choice'],
  tools: readonly OfferedTool[],
): ChatRequest['toolChoice'] {
  if (choice == null) return 'auto';
  if (tools.length === 0 && choice !== 'none') {
    throw new ProviderError(400, "'tool_choice' is only allowed when 'tools' are specified.", {
      param: 'tool_choice',
    });
  }
  if (typeof choice === 'string') return choice;
  const { name } = choice.type === 'function' ? choice.function : choice.custom;
  if (tools.some((each) => each.name === name)) return { name };
  throw new ProviderError(400, `Tool choice '${name}' is not one of the tools.`, { param: 'tool_choice' });
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Returns the text in a message. For an array of message parts, returns the concatenated text parts. */
export function readText(each: ChatMessage): string {
  if (typeof each.content === 'string') return each.content;
  return (each.content ?? []).map((part) => part.text ?? '').join('\n');
}
