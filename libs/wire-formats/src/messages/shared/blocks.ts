import type {
  ChatPart,
  DocumentPart,
  ImagePart,
  JsonObject,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own, parseCacheControl, renderCacheControl } from './own-members.ts';
import { parseCitations, renderCitation } from './citations.ts';
import { parseSource, renderSource } from './media.ts';
import { parseArguments, parseToolUse, renderToolUseHead } from './tools.ts';

/** Parses the parts in a message's content. A content string becomes one text part. */
export function parseContent(content: unknown): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content).map(parseBlock);
}

/**
 * Parses a content block. A block with an unknown shape becomes opaque and is sent only to providers that use
 * the messages format.
 */
function parseBlock(raw: unknown): ChatPart {
  const known = isObject(raw) ? parseKnownBlock(raw) : undefined;
  return known ?? { type: 'opaque', extensions: own.of({ block: raw }) };
}

function parseKnownBlock(raw: JsonObject): ChatPart | undefined {
  switch (raw.type) {
    case 'text':
      return parseText(raw);
    case 'image':
      return parseMedia('image', raw);
    case 'document':
      return parseMedia('document', raw);
    case 'thinking':
      return parseThinkingBlock(raw);
    case 'redacted_thinking':
      return parseRedactedThinking(raw);
    case 'tool_use':
      return parseToolUse(raw);
    case 'tool_result':
      return parseToolResult(raw);
    default:
      return undefined;
  }
}

function parseText(raw: JsonObject): ChatPart | undefined {
  const text = asText(raw.text);
  if (text === undefined) return undefined;
  const citations = parseCitations(raw.citations);
  return {
    type: 'text',
    text,
    ...(citations === undefined ? {} : { citations }),
    ...readRest(raw, ['text', 'citations']),
  };
}

function parseMedia(type: 'image' | 'document', raw: JsonObject): ChatPart | undefined {
  const read = parseSource(raw.source);
  if (read === undefined) return undefined;
  const spelling = read.isRespelled ? { source: raw.source } : {};
  const name = type === 'document' ? asText(raw.title) : undefined;
  return {
    type,
    source: read.source,
    ...(name === undefined ? {} : { name }),
    ...readRest(raw, name === undefined ? ['source'] : ['source', 'title'], spelling),
  };
}

function parseThinkingBlock(raw: JsonObject): ChatPart | undefined {
  const text = asText(raw.thinking);
  if (text === undefined) return undefined;
  const signature = asText(raw.signature);
  return {
    type: 'thinking',
    text,
    ...(signature === undefined ? {} : { signature }),
    ...readRest(raw, ['thinking', 'signature']),
  };
}

function parseRedactedThinking(raw: JsonObject): ChatPart | undefined {
  const redacted = asText(raw.data);
  if (redacted === undefined) return undefined;
  return { type: 'thinking', text: '', redacted, ...readRest(raw, ['data']) };
}

function parseToolResult(raw: JsonObject): ToolResultPart | undefined {
  const callId = asText(raw.tool_use_id);
  if (callId === undefined) return undefined;
  const spelling = Array.isArray(raw.content) ? { content: 'list' } : {};
  const isError = typeof raw.is_error === 'boolean' ? { isError: raw.is_error } : {};
  return {
    type: 'tool-result',
    callId,
    parts: parseContent(raw.content),
    ...isError,
    ...readRest(raw, ['tool_use_id', 'content', 'is_error'], spelling),
  };
}

/** Reads the client's cache marker, and the block fields that only the messages format defines. */
function readRest(
  raw: JsonObject,
  read: readonly string[],
  spelling: JsonObject = {},
): Pick<ChatPart, 'cacheMarker' | 'extensions'> {
  const cacheMarker = parseCacheControl(raw);
  const marked = cacheMarker === undefined ? [] : ['cache_control'];
  const members = { ...otherMembers(raw, ['type', ...read, ...marked]), ...optional('spelling', spelling) };
  return { ...(cacheMarker === undefined ? {} : { cacheMarker }), ...own.with(members) };
}

/** Separates the fields that record the client's spelling from a part's other extension fields. */
export function readSpelled(part: ChatPart): { readonly rest: JsonObject; readonly spelling: JsonObject } {
  const { spelling, ...rest } = own.read(part);
  return { rest, spelling: asObject(spelling) ?? {} };
}

/**
 * Renders a part as a block. Returns undefined if the messages format has no such block, and for tool
 * results. `render-messages.ts` renders tool results.
 */
export function renderBlock(part: ChatPart): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return renderText(part);
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'thinking':
      return renderThinkingBlock(part);
    case 'tool-call':
      return renderToolUse(part);
    case 'image':
    case 'document':
      return renderMedia(part);
    case 'opaque':
      return asObject(own.read(part).block);
    case 'audio':
    case 'tool-result':
      return undefined;
  }
}

function renderText(part: TextPart): JsonObject {
  const citations = (part.citations ?? []).flatMap((citation) => renderCitation(citation) ?? []);
  return {
    ...readSpelled(part).rest,
    type: 'text',
    text: part.text,
    ...(citations.length === 0 ? {} : { citations }),
    ...renderCacheControl(part.cacheMarker),
  };
}

function renderThinkingBlock(part: ThinkingPart): JsonObject {
  const { rest } = readSpelled(part);
  return part.redacted === undefined
    ? { ...rest, type: 'thinking', thinking: part.text, signature: part.signature ?? '' }
    : { ...rest, type: 'redacted_thinking', data: part.redacted };
}

function renderToolUse(part: ToolCallPart): JsonObject {
  const { argumentsText } = part;
  // The input of a tool call must be an object.
  // Free text for a custom tool and arguments that are not a JSON object become the only field of an object.
  const input =
    part.kind === 'custom'
      ? { input: argumentsText }
      : (parseArguments(argumentsText) ?? { arguments: argumentsText });
  return { ...renderToolUseHead(part), input };
}

function renderMedia(part: ImagePart | DocumentPart): JsonObject | undefined {
  const { rest, spelling } = readSpelled(part);
  const source = spelling.source ?? renderSource(part.source, part.type);
  if (source === undefined) return undefined;
  const title = part.type === 'document' && part.name !== undefined ? { title: part.name } : {};
  return { ...rest, type: part.type, source, ...title, ...renderCacheControl(part.cacheMarker) };
}
