import type { ChatPart, Citation, JsonObject, ThinkingPart } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseCachePoint, parseCitation, parseRedacted } from './block-values.ts';
import { own } from './own-members.ts';
import { parseMedia } from './media.ts';

/**
 * Parses the blocks in a turn, a system prompt or a tool result. A cache point becomes a cache marker on the
 * preceding part.
 */
export function parseContent(content: unknown): ChatPart[] {
  const parts: ChatPart[] = [];
  for (const raw of asList(content)) {
    const marker = isObject(raw) ? parseCachePoint(raw) : undefined;
    const last = parts.at(-1);
    if (marker === undefined || last === undefined || last.cacheMarker !== undefined)
      parts.push(parseBlock(raw));
    else parts[parts.length - 1] = { ...last, cacheMarker: marker };
  }
  return parts;
}

/**
 * Parses a content block. A block with an unknown shape is kept unchanged and sent only to providers that use
 * the Converse format.
 */
export function parseBlock(raw: unknown): ChatPart {
  const known = isObject(raw) ? parseKnownBlock(raw) : undefined;
  return known ?? { type: 'opaque', extensions: own.of({ part: raw }) };
}

type ParseBody = (body: JsonObject) => ChatPart | undefined;

/** One parser for each kind of block, by the name of the block's field. */
const bodies: ReadonlyMap<string, ParseBody> = new Map<string, ParseBody>([
  ['image', (body) => parseMedia('image', body)],
  ['document', (body) => parseMedia('document', body)],
  ['audio', (body) => parseMedia('audio', body)],
  ['toolUse', parseToolUse],
  ['toolResult', parseToolResult],
  ['reasoningContent', parseReasoning],
  ['citationsContent', parseCited],
  ['guardContent', parseGuarded],
]);

function parseKnownBlock(raw: JsonObject): ChatPart | undefined {
  if (typeof raw.text === 'string') {
    return { type: 'text', text: raw.text, ...own.with(otherMembers(raw, ['text'])) };
  }
  if (Object.hasOwn(raw, 'json') && Object.keys(raw).length === 1) {
    return { type: 'text', text: JSON.stringify(raw.json), ...own.with({ spelling: 'json' }) };
  }
  const [member, ...others] = Object.keys(raw);
  const parse = member === undefined || others.length > 0 ? undefined : bodies.get(member);
  const body = member === undefined ? undefined : asObject(raw[member]);
  return body === undefined ? undefined : parse?.(body);
}

/**
 * A server tool call is not parsed, because the provider executes server tools. The server tool call is kept
 * unchanged and sent only to providers that use the Converse format.
 */
function parseToolUse(body: JsonObject): ChatPart | undefined {
  const id = asText(body.toolUseId);
  const name = asText(body.name);
  if (id === undefined || name === undefined || body.type === 'server_tool_use') return undefined;
  const argumentsText = body.input === undefined ? '{}' : JSON.stringify(body.input);
  const isTyped = typeof body.type === 'string';
  const rest = {
    ...otherMembers(body, ['toolUseId', 'name', 'input', ...(isTyped ? ['type'] : [])]),
    ...(isTyped ? { spelling: body.type } : {}),
  };
  return { type: 'tool-call', id, name, kind: 'function', argumentsText, ...own.with(rest) };
}

/**
 * Server tool results have a separate `type` and appear in the assistant's turn. Server tool results are not
 * parsed.
 */
function parseToolResult(body: JsonObject): ChatPart | undefined {
  const callId = asText(body.toolUseId);
  if (callId === undefined || !Array.isArray(body.content) || isServerResult(body.type)) return undefined;
  const isKnown = body.status === 'error' || body.status === 'success';
  const read = ['toolUseId', 'content', ...(isKnown ? ['status'] : [])];
  return {
    type: 'tool-result',
    callId,
    parts: parseContent(body.content),
    ...(isKnown ? { isError: body.status === 'error' } : {}),
    ...own.with(otherMembers(body, read)),
  };
}

function isServerResult(type: unknown): boolean {
  return typeof type === 'string' && type !== 'tool_result';
}

function parseReasoning(body: JsonObject): ThinkingPart | undefined {
  const reasoning = asObject(body.reasoningText);
  const text = asText(reasoning?.text);
  if (Object.keys(body).length !== 1) return undefined;
  if (reasoning !== undefined && text !== undefined) {
    const rest = otherMembers(reasoning, ['text', 'signature']);
    const signature = asText(reasoning.signature);
    return {
      type: 'thinking',
      text,
      ...optional('signature', signature),
      ...own.with({ ...rest, spelling: 'reasoning' }),
    };
  }
  const encrypted = asText(body.redactedContent);
  if (encrypted === undefined) return undefined;
  const { redacted, isBase64 } = parseRedacted(encrypted);
  return { type: 'thinking', text: '', redacted, ...own.with(isBase64 ? { spelling: 'base64' } : {}) };
}

function parseCited(body: JsonObject): ChatPart | undefined {
  const texts = asList(body.content).map((item) => (isObject(item) ? asText(item.text) : undefined));
  const citations: Citation[] = asList(body.citations).filter(isObject).map(parseCitation);
  if (texts.includes(undefined) || citations.length === 0) return undefined;
  const rest = otherMembers(body, ['content', 'citations']);
  const spelling = texts.length > 1 ? { spelling: texts } : {};
  return { type: 'text', text: texts.join(''), citations, ...own.with({ ...rest, ...spelling }) };
}

/** Parses text that is marked for a guardrail. The model also receives this text. */
function parseGuarded(body: JsonObject): ChatPart | undefined {
  const guarded = asObject(body.text);
  const text = asText(guarded?.text);
  if (guarded === undefined || text === undefined || Object.keys(body).length !== 1) return undefined;
  return { type: 'text', text, ...own.with({ guardContent: otherMembers(guarded, ['text']) }) };
}
