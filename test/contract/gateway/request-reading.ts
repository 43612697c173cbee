/**
 * The meaning of a request, independent of its format. Two requests with the same meaning have equal values,
 * even if their spelling or format differs.
 */
import type { ChatMessage, ChatPart, ChatRequest, ChatTool } from '@gateway/interchange';
import { asList, asMembers, join, readJson } from './answer-reading.ts';

export interface RequestReading {
  readonly system: string;
  readonly turns: readonly TurnReading[];
  readonly tools: readonly unknown[];
  /** The number of documents that are not part of the conversation. */
  readonly documents: number;
  /** The request settings, by their field names in the gateway's loss report. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface TurnReading {
  readonly role: 'user' | 'assistant';
  /** The turn's text without whitespace, because formats join and trim text differently. */
  readonly text: string;
  /** All content of the turn other than text, as one JSON string per item. */
  readonly items: readonly string[];
}

export function readRequest(request: ChatRequest): RequestReading {
  const ids = new Map<string, string>();
  const { settings, toolChoice, stream } = request;
  return {
    system: request.messages
      .filter(({ role }) => role === 'system')
      .flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
      .join('')
      .replaceAll(/\s/g, ''),
    turns: readTurns(request.messages, ids),
    tools: request.tools.map(readTool),
    documents: asList(request.extensions?.cohere?.['documents']).length,
    settings: {
      max_tokens: settings.maxOutputTokens,
      temperature: settings.temperature,
      top_p: settings.topP,
      top_k: settings.topK,
      stop: settings.stopSequences?.length === 0 ? undefined : settings.stopSequences,
      seed: settings.seed,
      // 0 is the default value of the frequency penalty and the presence penalty.
      frequency_penalty: settings.frequencyPenalty || undefined,
      presence_penalty: settings.presencePenalty || undefined,
      n: settings.answers === 1 ? undefined : settings.answers,
      parallel_tool_calls: settings.parallelToolCalls === false ? false : undefined,
      thinking: readThinking(settings),
      reasoning_effort: settings.reasoningEffort === 'none' ? undefined : settings.reasoningEffort,
      response_format: readFormat(settings.responseFormat),
      user: settings.endUser,
      tool_choice: request.tools.length === 0 || isDefault(toolChoice.mode) ? undefined : toolChoice,
      stream,
    },
  };
}

function isDefault(mode: string): boolean {
  return mode === 'unset' || mode === 'auto';
}

/**
 * Normalizes the thinking settings. Setting a thinking level turns thinking on. Thinking is off if the
 * request has no thinking setting.
 */
function readThinking({ thinking, reasoningEffort }: ChatRequest['settings']): unknown {
  if (thinking?.enabled !== true || reasoningEffort === 'none') return undefined;
  return thinking.budgetTokens ?? (reasoningEffort === undefined ? true : undefined);
}

/** The comparison ignores the schema's name and description, because some formats lack these fields. */
function readFormat(format: ChatRequest['settings']['responseFormat']): unknown {
  if (format === undefined || format.type === 'text') return undefined;
  return format.type === 'json' ? 'json' : { schema: { ...asMembers(format.schema), description: '' } };
}

/** Consecutive messages of the same role form one turn. Tool results are part of the user's turn. */
function readTurns(messages: readonly ChatMessage[], ids: Map<string, string>): TurnReading[] {
  const turns: { role: TurnReading['role']; items: Record<string, unknown>[] }[] = [];
  for (const { role, parts } of messages.filter((message) => message.role !== 'system')) {
    const speaker = role === 'assistant' ? 'assistant' : 'user';
    const items = parts.flatMap((part) => readPart(part, ids));
    const last = turns.at(-1);
    if (last?.role === speaker) last.items.push(...items);
    else if (items.length > 0) turns.push({ role: speaker, items });
  }
  return turns.map(({ role, items }) => ({
    role,
    text: squeeze(join(items.map(({ said }) => said))),
    items: items
      .filter(({ said }) => said === undefined)
      .map((item) => JSON.stringify(item))
      .toSorted(),
  }));
}

function squeeze(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/**
 * The comparison ignores the values of tool call ids, and checks only which result belongs to which call. The
 * gateway creates new ids for formats that have no ids or that allow other characters.
 */
function readId(id: string, ids: Map<string, string>): string {
  const known = ids.get(id) ?? `#${ids.size}`;
  ids.set(id, known);
  return known;
}

function readPart(part: ChatPart, ids: Map<string, string>): Record<string, unknown>[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ said: part.text }];
    case 'image':
    case 'document':
    case 'audio':
      return [{ [part.type]: part.source.kind === 'base64' ? part.source.data : part.source }];
    case 'tool-call':
      return [
        {
          call: readId(part.id, ids),
          name: part.name,
          input: part.kind === 'custom' ? { input: part.argumentsText } : readInput(part.argumentsText),
        },
      ];
    case 'tool-result': {
      // In formats with text-only tool results, media are placed next to the tool results.
      const media = part.parts.filter(({ type }) => type !== 'text').flatMap((inner) => readPart(inner, ids));
      const text = readJson(join(part.parts.map((inner) => ('text' in inner ? inner.text.trim() : ''))));
      return [
        { result: readId(part.callId, ids), text: typeof text === 'string' ? squeeze(text) : text },
        ...media,
      ];
    }
    // The comparison ignores reasoning, because only the model that produced the reasoning can use it.
    // If the upstream request omits reasoning, the gateway must report a loss.
    case 'thinking':
    case 'opaque':
      return [];
  }
}

function readInput(text: string): unknown {
  const input = readJson(text);
  if (input === null) return {};
  return typeof input === 'object' && !Array.isArray(input) ? input : { arguments: text };
}

const noArguments = { type: 'object', properties: {} };

function readTool(tool: ChatTool): unknown {
  if (tool.kind !== 'function') return { kind: tool.kind };
  const { name, description, parameters } = tool;
  const schema = asMembers(parameters);
  return {
    name,
    description: description === '' ? undefined : description,
    // An object schema without a list of properties is equivalent to a schema with an empty list.
    schema:
      Object.keys(asMembers(schema.properties)).length === 0 && !isRicher(schema) ? noArguments : schema,
  };
}

function isRicher(schema: Record<string, unknown>): boolean {
  return ['$ref', 'anyOf', 'oneOf', 'allOf', '$defs'].some((name) => name in schema);
}
