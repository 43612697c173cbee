import type { ChatMessage, ChatPart, JsonObject, MessageRole } from '@gateway/interchange';
import { parseMediaUrl } from '../../common/media-url.ts';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own } from '../own.ts';
import { parseToolCall } from '../tool-call.ts';

export function parseMessage(raw: JsonObject): ChatMessage {
  const role = mapRole(raw.role);
  const content = parseContent(raw.content);
  const parts = role === 'tool' ? [parseResult(raw, content)] : parseSpoken(raw, content);
  const read = ['role', 'content', 'tool_calls', 'tool_plan', ...(role === 'tool' ? ['tool_call_id'] : [])];
  const spelling = {
    content: Array.isArray(raw.content) ? 'list' : 'text',
    ...(raw.role === role ? {} : { role: raw.role }),
  };
  return { role, parts, extensions: own.of({ ...otherMembers(raw, read), spelling }) };
}

function mapRole(role: unknown): MessageRole {
  switch (role) {
    case 'system':
    case 'assistant':
    case 'tool':
      return role;
    case 'developer':
      return 'system';
    default:
      return 'user';
  }
}

function parseResult(raw: JsonObject, parts: readonly ChatPart[]): ChatPart {
  return { type: 'tool-result', callId: asText(raw.tool_call_id) ?? '', parts };
}

/** In the order in which a model makes them: planned, thought and said, called. */
function parseSpoken(raw: JsonObject, content: readonly ChatPart[]): ChatPart[] {
  const plan = asText(raw.tool_plan);
  const planned: ChatPart[] = plan === undefined ? [] : [planPart(plan)];
  return [...planned, ...content, ...asList(raw.tool_calls).filter(isObject).map(parseToolCall)];
}

/** What the model means to do with its tools: a thought, in a member of its own. */
function planPart(text: string): ChatPart {
  return { type: 'thinking', text, extensions: own.of({ spelling: { field: 'tool_plan' } }) };
}

function parseContent(content: unknown): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content).map(parsePart);
}

/** A part of a shape that the interchange has no word for is kept as it is, for this format alone. */
function parsePart(raw: unknown): ChatPart {
  const known = isObject(raw) ? parseKnownPart(raw) : undefined;
  return known ?? { type: 'opaque', extensions: own.of({ part: raw }) };
}

function parseKnownPart(raw: JsonObject): ChatPart | undefined {
  const text = asText(raw.type === 'thinking' ? raw.thinking : raw.text);
  const image = asObject(raw.image_url);
  const url = asText(image?.url);
  switch (raw.type) {
    case 'text':
    case 'thinking':
      return text === undefined
        ? undefined
        : { type: raw.type, text, ...own.with(otherMembers(raw, ['type', raw.type])) };
    case 'image_url': {
      if (image === undefined || url === undefined) return undefined;
      const rest = {
        ...otherMembers(raw, ['type', 'image_url']),
        ...optional('image_url', otherMembers(image, ['url'])),
      };
      return { type: 'image', source: parseMediaUrl(url), ...own.with(rest) };
    }
    default:
      return undefined;
  }
}
