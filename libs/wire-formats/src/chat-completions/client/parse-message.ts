import type { ChatMessage, ChatPart, JsonObject } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { markLast, readCacheMarker, ownExtensions, withOwn } from '../shared/own-members.ts';
import { parseToolCall } from '../shared/tools.ts';
import { mapRole } from './outline-messages.ts';
import { parseMediaUrl } from '../../common/media-url.ts';

const reasoningFields = ['reasoning_content', 'reasoning'] as const;

export function parseMessage(raw: JsonObject): ChatMessage {
  const role = mapRole(asText(raw.role));
  const { parts, read } = role === 'tool' ? parseToolResult(raw) : parseSpokenParts(raw);
  return {
    role,
    parts: markLast(parts, raw),
    ...withOwn({ ...otherMembers(raw, ['role', 'content', ...read]), ...readSpelling(raw, role) }),
  };
}

/** Records the client's spelling of values that have several spellings. */
function readSpelling(raw: JsonObject, role: string): JsonObject {
  return {
    ...(raw.role === role ? {} : { role: raw.role }),
    ...(Array.isArray(raw.content) ? { content: 'list' } : {}),
  };
}

interface ReadParts {
  readonly parts: readonly ChatPart[];
  /** Names of the message fields that were parsed into message parts. */
  readonly read: readonly string[];
}

function parseToolResult(raw: JsonObject): ReadParts {
  const callId = asText(raw.tool_call_id);
  const parts = parseContent(raw.content);
  const read = callId === undefined ? [] : ['tool_call_id'];
  return { parts: [{ type: 'tool-result', callId: callId ?? '', parts }], read };
}

/**
 * Returns the message parts in the order in which a model produces them. A model produces thinking first,
 * then content, a refusal, and tool calls.
 */
function parseSpokenParts(raw: JsonObject): ReadParts {
  const field = reasoningFields.find((name) => typeof raw[name] === 'string');
  const calls = asList(raw.tool_calls);
  const areCalls = calls.length > 0 && calls.every(isObject);
  const parts = [
    field === undefined ? [] : parseMember('thinking', field, raw),
    parseContent(raw.content),
    parseMember('refusal', 'refusal', raw),
    areCalls ? calls.map(parseToolCall) : [],
  ].flat();
  const hasRefusal = typeof raw.refusal === 'string';
  return {
    parts,
    read: [field ?? [], hasRefusal ? 'refusal' : [], areCalls ? 'tool_calls' : []].flat(),
  };
}

/** Reads a message part from a field outside the message content. */
function parseMember(type: 'thinking' | 'refusal', field: string, raw: JsonObject): ChatPart[] {
  const text = asText(raw[field]);
  return text === undefined ? [] : [{ type, text, ...withOwn({ field }) }];
}

/**
 * Parses the parts in a message's content. A content string becomes one text part. A content of null becomes
 * an empty list.
 */
function parseContent(content: unknown): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content).map(parsePart);
}

/**
 * Parses a message part. A message part with an unknown shape becomes opaque and is sent only to providers
 * that use the chat completions format.
 */
function parsePart(raw: unknown): ChatPart {
  const known = isObject(raw) ? parseKnownPart(raw) : undefined;
  return known === undefined
    ? { type: 'opaque', extensions: ownExtensions({ part: raw }) }
    : { ...known, ...readCacheMarker(asObject(raw)) };
}

function parseKnownPart(raw: JsonObject): ChatPart | undefined {
  switch (raw.type) {
    case 'text':
      return parseTextPart(raw);
    case 'refusal':
      return parseRefusalPart(raw);
    case 'image_url':
      return parseImagePart(raw);
    case 'input_audio':
      return parseAudioPart(raw);
    case 'file':
      return parseFilePart(raw);
    default:
      return undefined;
  }
}

function parseTextPart(raw: JsonObject): ChatPart | undefined {
  const text = asText(raw.text);
  return text === undefined
    ? undefined
    : { type: 'text', text, ...withOwn(otherMembers(raw, ['type', 'text'])) };
}

function parseRefusalPart(raw: JsonObject): ChatPart | undefined {
  const text = asText(raw.refusal);
  if (text === undefined) return undefined;
  return { type: 'refusal', text, ...withOwn(otherMembers(raw, ['type', 'refusal'])) };
}

function parseImagePart(raw: JsonObject): ChatPart | undefined {
  const image = asObject(raw.image_url);
  const url = asText(image?.url);
  if (image === undefined || url === undefined) return undefined;
  return { type: 'image', source: parseMediaUrl(url), ...withOwn(restOf(raw, 'image_url', ['url'])) };
}

function parseAudioPart(raw: JsonObject): ChatPart | undefined {
  const audio = asObject(raw.input_audio);
  const data = asText(audio?.data);
  if (audio === undefined || data === undefined) return undefined;
  const format = asText(audio.format);
  const mediaType = format === undefined ? undefined : `audio/${format}`;
  return {
    type: 'audio',
    source: { kind: 'base64', mediaType, data },
    ...withOwn(restOf(raw, 'input_audio', ['data', 'format'])),
  };
}

function parseFilePart(raw: JsonObject): ChatPart | undefined {
  const file = asObject(raw.file);
  const id = asText(file?.file_id);
  const data = asText(file?.file_data);
  if (file === undefined || (id === undefined && data === undefined)) return undefined;
  const source = data === undefined ? ({ kind: 'file', id: id ?? '' } as const) : parseMediaUrl(data);
  const read = ['filename', data === undefined ? 'file_id' : 'file_data'];
  return {
    type: 'document',
    source,
    ...optional('name', asText(file.filename)),
    ...withOwn(restOf(raw, 'file', read)),
  };
}

/** Returns the fields that were not parsed, from a message part and from the part's nested object. */
function restOf(raw: JsonObject, body: string, read: readonly string[]): JsonObject {
  const rest = otherMembers(raw, ['type', body]);
  return { ...rest, ...optional(body, otherMembers(asObject(raw[body]) ?? {}, read)) };
}
