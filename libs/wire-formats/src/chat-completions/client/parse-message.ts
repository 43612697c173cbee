import type { ChatMessage, ChatPart, JsonObject } from '@gateway/interchange';
import { asList, asText, isObject, otherMembers } from '../../json/read-members.ts';
import { markLast } from '../cache-control.ts';
import { withOwn } from '../own-extensions.ts';
import { parseToolCall } from '../tool-call.ts';
import { mapRole } from './outline-message.ts';
import { parseContent } from './parse-part.ts';

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

/** How the message says what the interchange has one way to say. */
function readSpelling(raw: JsonObject, role: string): JsonObject {
  return {
    ...(raw.role === role ? {} : { role: raw.role }),
    ...(Array.isArray(raw.content) ? { content: 'list' } : {}),
  };
}

interface ReadParts {
  readonly parts: readonly ChatPart[];
  /** The members that the parts came from. */
  readonly read: readonly string[];
}

function parseToolResult(raw: JsonObject): ReadParts {
  const callId = asText(raw.tool_call_id);
  const parts = parseContent(raw.content);
  const read = callId === undefined ? [] : ['tool_call_id'];
  return { parts: [{ type: 'tool-result', callId: callId ?? '', parts }], read };
}

/** In the order in which a model makes them: thought, said, refused, called. */
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

/** A part that stands beside the content. */
function parseMember(type: 'thinking' | 'refusal', field: string, raw: JsonObject): ChatPart[] {
  const text = asText(raw[field]);
  return text === undefined ? [] : [{ type, text, ...withOwn({ field }) }];
}
