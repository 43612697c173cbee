import { hostileStructures } from './structures.ts';

/**
 * The endpoints under test, with their paths. Each model's provider uses either the endpoint's format or
 * another format.
 */
export const chatEndpoints = ['chat-completions', 'messages', 'converse'] as const;
export type ChatEndpoint = (typeof chatEndpoints)[number];

export interface HostileRequest {
  readonly path: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

const models: Readonly<Record<ChatEndpoint, { own: string; other: string }>> = {
  'chat-completions': { own: 'openai/gpt-4o-mini', other: 'anthropic/claude-sonnet-4-5' },
  messages: { own: 'anthropic/claude-sonnet-4-5', other: 'openai/gpt-4o-mini' },
  converse: { own: 'hosted/amazon.nova-lite-v1:0', other: 'openai/gpt-4o-mini' },
};

export interface ChatShape {
  readonly endpoint: ChatEndpoint;
  readonly isStream: boolean;
  /** Whether the provider's format differs from the endpoint's format. */
  readonly isTranslated: boolean;
}

/**
 * One request's texts, with a mark that is unique to the request. Because of this mark, services cannot use a
 * cached result.
 */
export interface ChatTexts {
  readonly mark: string;
  readonly user: string;
  readonly result: string;
  readonly argument: string;
  readonly description: string;
}

const toolCount = 24;

/** Renders a conversation in the endpoint's format, with tools, a tool call, the tool result and a further turn. */
export function writeChat(shape: ChatShape, texts: ChatTexts): HostileRequest {
  const model = models[shape.endpoint][shape.isTranslated ? 'other' : 'own'];
  const write = { 'chat-completions': writeCompletions, messages: writeMessages, converse: writeConverse };
  const body = write[shape.endpoint](model, shape.isStream, texts);
  return { path: pathOf(shape, model), body: Buffer.from(JSON.stringify(body)) };
}

function pathOf({ endpoint, isStream }: ChatShape, model: string): string {
  if (endpoint === 'chat-completions') return '/v1/chat/completions';
  if (endpoint === 'messages') return '/v1/messages';
  return `/model/${encodeURIComponent(model)}/converse${isStream ? '-stream' : ''}`;
}

interface PlainTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
}

function listTools({ mark, description }: ChatTexts): PlainTool[] {
  return Array.from({ length: toolCount }, (_, at) => ({
    name: `tool_${at}`,
    description: at === 0 ? `${mark} ${description}` : `Runs task number ${at} for ${mark}.`,
    schema: { type: 'object', properties: { text: { type: 'string', description: `Text ${at}` } } },
  }));
}

function writeCompletions(model: string, stream: boolean, texts: ChatTexts): Json {
  const call = { name: 'tool_0', arguments: JSON.stringify({ text: texts.argument }) };
  return {
    ...{ model, stream },
    messages: [
      { role: 'user', content: `${texts.mark}: use the first tool` },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'c1', content: `${texts.mark} ${texts.result}` },
      { role: 'user', content: `${texts.mark} ${texts.user}` },
    ],
    tools: listTools(texts).map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
  };
}

function writeMessages(model: string, stream: boolean, texts: ChatTexts): Json {
  return {
    ...{ model, stream, max_tokens: 100 },
    messages: [
      { role: 'user', content: `${texts.mark}: use the first tool` },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'tool_0', input: { text: texts.argument } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: `${texts.mark} ${texts.result}` }],
      },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: `${texts.mark} ${texts.user}` },
    ],
    tools: listTools(texts).map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
    })),
  };
}

function writeConverse(_model: string, _isStream: boolean, texts: ChatTexts): Json {
  const result = { toolUseId: 'c1', content: [{ text: `${texts.mark} ${texts.result}` }] };
  return {
    messages: [
      { role: 'user', content: [{ text: `${texts.mark}: use the first tool` }] },
      {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'c1', name: 'tool_0', input: { text: texts.argument } } }],
      },
      { role: 'user', content: [{ toolResult: result }] },
      { role: 'assistant', content: [{ text: 'Done.' }] },
      { role: 'user', content: [{ text: `${texts.mark} ${texts.user}` }] },
    ],
    toolConfig: {
      tools: listTools(texts).map(({ name, description, schema }) => ({
        toolSpec: { name, description, inputSchema: { json: schema } },
      })),
    },
  };
}

/** Renders a chat-completions request that has a hostile structure. */
export function writeStructure(
  name: string,
  chars: number,
  mark: string,
  isTranslated: boolean,
): HostileRequest {
  const model = models['chat-completions'][isTranslated ? 'other' : 'own'];
  const members = hostileStructures[name]?.(chars, mark) ?? '';
  return { path: '/v1/chat/completions', body: Buffer.from(`{"model":"${model}",${members}}`) };
}

/** The kinds of proxied requests: JSON with the model first, JSON with the model last, and a multipart form. */
export const proxiedKinds = ['responses', 'embeddings', 'transcriptions'] as const;

/** Renders a proxied request with a hostile text. */
export function writeProxied(
  kind: (typeof proxiedKinds)[number],
  text: string,
  mark: string,
): HostileRequest {
  const model = 'openai/gpt-4o-mini';
  const input = `${mark} ${text}`;
  if (kind === 'responses')
    return { path: '/v1/responses', body: Buffer.from(JSON.stringify({ model, input })) };
  if (kind === 'embeddings')
    return { path: '/v1/embeddings', body: Buffer.from(JSON.stringify({ input, model })) };
  const boundary = 'hostile-boundary';
  const part = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return {
    path: '/v1/audio/transcriptions',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from(`${part('file', input)}${part('model', model)}--${boundary}--\r\n`),
  };
}
