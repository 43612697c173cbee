import type { ChatMessage, ChatPart, JsonObject, MessageRole, ToolCallPart } from '@gateway/interchange';
import { asList, asText, isObject, otherMembers } from '../../json/read-members.ts';
import { parseContent } from '../shared/content.ts';
import { openCallSignature, parseReasoning } from '../shared/reasoning.ts';
import { own } from '../shared/settings.ts';

/**
 * Parses input items. Consecutive assistant items form one message, because other formats use whole
 * turns. Consecutive tool results also form one message.
 */
export function parseItems(input: readonly unknown[]): ChatMessage[] {
  const messages: (ChatMessage & { readonly parts: ChatPart[] })[] = [];
  let callSignature: string | undefined;
  for (const raw of input) {
    const sealed = isObject(raw) && raw.type === 'reasoning' ? openCallSignature(raw) : undefined;
    if (sealed !== undefined) {
      callSignature = sealed;
      continue;
    }
    const message = signCall(parseItem(raw), callSignature);
    callSignature = undefined;
    const last = messages.at(-1);
    const isJoined = last?.role === message.role && (last.role === 'assistant' || last.role === 'tool');
    if (isJoined) for (const part of message.parts) last.parts.push(part);
    else messages.push({ ...message, parts: [...message.parts] });
  }
  return messages;
}

/** Adds a tool call's signature, which is stored in the item before the call. */
function signCall(message: ChatMessage, signature: string | undefined): ChatMessage {
  const [part] = message.parts;
  if (signature === undefined || part?.type !== 'tool-call') return message;
  return { ...message, parts: [{ ...part, signature }] };
}

function parseItem(raw: unknown): ChatMessage {
  if (!isObject(raw)) return opaqueItem('user', raw);
  switch (raw.type) {
    case undefined:
    case null:
    case 'message':
      return parseMessage(raw);
    case 'function_call':
    case 'custom_tool_call':
      return { role: 'assistant', parts: [parseCall(raw)] };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return parseResult(raw);
    case 'reasoning':
      return { role: 'assistant', parts: [parseReasoning(raw)] };
    default:
      return opaqueItem(raw.role === 'developer' ? 'system' : mapSpeaker(raw.type), raw);
  }
}

/**
 * Chooses the role for an item type that other formats lack. The client sends results and approvals, and the
 * model produces all other items.
 */
function mapSpeaker(type: unknown): MessageRole {
  return /_(?:output|response|update)$/.test(asText(type) ?? '') ? 'user' : 'assistant';
}

function opaqueItem(role: MessageRole, raw: unknown): ChatMessage {
  return { role, parts: [{ type: 'opaque', extensions: own.of({ rawItem: raw }) }] };
}

function mapRole(role: unknown): MessageRole {
  if (role === 'assistant') return role;
  return role === 'system' || role === 'developer' ? 'system' : 'user';
}

function parseMessage(raw: JsonObject): ChatMessage {
  const role = mapRole(raw.role);
  const parts = parseContent(raw.content);
  const item = otherMembers(raw, raw.role === 'system' ? ['content'] : ['role', 'content']);
  const spelling = { ...(Array.isArray(raw.content) ? { content: 'list' } : {}), item };
  // Consecutive assistant items form one message, so each item's fields are kept on the item's first part.
  return role === 'assistant'
    ? { role, parts: parts.map((part, at) => withItem(part, at === 0 ? spelling : { isJoined: true })) }
    : { role, parts, extensions: own.of(spelling) };
}

function withItem(part: ChatPart, spelling: JsonObject): ChatPart {
  return { ...part, extensions: own.of({ ...own.read(part), ...spelling }) };
}

function parseCall(raw: JsonObject): ToolCallPart {
  const isCustom = raw.type === 'custom_tool_call';
  const member = isCustom ? 'input' : 'arguments';
  const item = otherMembers(raw, ['type', 'call_id', 'name', member]);
  return {
    type: 'tool-call',
    id: asText(raw.call_id) ?? '',
    name: asText(raw.name) ?? '',
    kind: isCustom ? 'custom' : 'function',
    argumentsText: asText(raw[member]) ?? '',
    ...own.with(Object.keys(item).length === 0 ? {} : { item }),
  };
}

function parseResult(raw: JsonObject): ChatMessage {
  const spelling = {
    item: otherMembers(raw, ['call_id', 'output']),
    ...(Array.isArray(raw.output) ? { content: 'list' } : {}),
  };
  const parts = parseContent(Array.isArray(raw.output) ? asList(raw.output) : asText(raw.output));
  const callId = asText(raw.call_id) ?? '';
  return { role: 'tool', parts: [{ type: 'tool-result', callId, parts, extensions: own.of(spelling) }] };
}
