import {
  unqualifyTool,
  type ChatMessage,
  type ChatPart,
  type ChatRequest,
  type JsonObject,
  type Loss,
  type ToolCallPart,
  type ToolResultPart,
} from '@gateway/interchange';
import { mapToolId } from '../../common/tool-names.ts';
import { asObject, optional, otherMembers } from '../../json/read-members.ts';
import { renderPart, spelled } from '../shared/content.ts';
import { renderReasoning } from '../shared/reasoning.ts';
import { own } from '../shared/settings.ts';

/** Pattern for call ids. OpenAI rejects call ids with more than 64 characters. */
const callIdPattern = /^.{1,64}$/s;

interface ItemContext {
  readonly isOwnFormat: boolean;
  readonly losses: Loss[];
  /**
   * Call ids of custom tool calls. Results of custom tools have a different item type than results of
   * functions.
   */
  readonly customIds: ReadonlySet<string>;
}

/** Renders the conversation as input items. A message becomes one or more items. */
export function renderItems(
  { messages }: Pick<ChatRequest, 'messages'>,
  isOwnFormat: boolean,
  losses: Loss[],
): JsonObject[] {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  const customIds = new Set(calls.filter(({ kind }) => kind === 'custom').map(({ id }) => id));
  const context = { isOwnFormat, losses, customIds };
  return messages.flatMap((message, index) => renderMessage(message, `messages[${index}]`, context));
}

/**
 * Renders a message as items, in the order of the message parts. Reasoning stays before the text or tool call
 * that follows it.
 */
function renderMessage(message: ChatMessage, field: string, context: ItemContext): JsonObject[] {
  const items: JsonObject[] = [];
  let content: ChatPart[] = [];
  const flush = (): void => {
    if (content.length > 0) items.push(...renderContentItem(message, content, field, context));
    content = [];
  };
  for (const part of message.parts) {
    const item = renderItem(part, field, context);
    if (item === undefined) {
      if (startsItem(part)) flush();
      content.push(part);
    } else {
      flush();
      items.push(...item);
    }
  }
  flush();
  return message.parts.length > 0 ? items : renderContentItem(message, [], field, context);
}

/** Whether the client sent the part as the first part of a message item. */
function startsItem(part: ChatPart): boolean {
  const { item, isJoined } = own.read(part);
  return item !== undefined && isJoined !== true;
}

/**
 * Renders a part that is a separate item. Returns undefined for a part that belongs to a message's
 * content.
 */
function renderItem(part: ChatPart, field: string, context: ItemContext): JsonObject[] | undefined {
  switch (part.type) {
    case 'tool-call':
      return [renderCall(part, context)];
    case 'tool-result':
      return [renderResult(part, field, context)];
    case 'thinking': {
      const item = renderReasoning(part);
      if (item !== undefined) return [item];
      context.losses.push({
        field: `${field}.thinking`,
        reason: 'the provider did not produce the reasoning',
      });
      return [];
    }
    case 'opaque': {
      const item = asObject(own.read(part).rawItem);
      // An opaque reasoning item is dropped, because the item only refers to a stored response.
      if (item?.type === 'reasoning') return [];
      return item === undefined ? undefined : [item];
    }
    default:
      return undefined;
  }
}

function renderContentItem(
  message: ChatMessage,
  parts: readonly ChatPart[],
  field: string,
  { isOwnFormat, losses }: ItemContext,
): JsonObject[] {
  const { role } = message;
  const textType = role === 'assistant' ? 'output_text' : 'input_text';
  const [first] = parts;
  const isText = own.read(message).content !== 'list' && own.read(first).content !== 'list';
  const members = readItem(role === 'assistant' ? first : message, isOwnFormat);
  const content =
    isText && parts.length === 1 && first?.type === 'text' && isPlain(first)
      ? first.text
      : parts.flatMap((part) => renderPart(part, textType, field, losses));
  if (content.length === 0 && parts.length > 0 && first?.type !== 'text') return [];
  return [{ role: mapRole(role), content, ...members }];
}

function isPlain(part: ChatPart): boolean {
  return part.cacheMarker === undefined && Object.keys(otherMembers(own.read(part), spelled)).length === 0;
}

/**
 * The item fields that the interchange lacks. Item ids refer to stored responses, so ids are sent only for
 * clients that use the responses format.
 */
function readItem(holder: Parameters<typeof own.read>[0], isOwnFormat: boolean): JsonObject {
  const item = asObject(own.read(holder).item) ?? {};
  return isOwnFormat ? item : otherMembers(item, ['id', 'status']);
}

/**
 * Maps a message's role. System messages become developer messages, which keep their position in the
 * conversation.
 */
function mapRole(role: ChatMessage['role']): string {
  return role === 'system' ? 'developer' : role === 'tool' ? 'user' : role;
}

function renderCall(part: ToolCallPart, { isOwnFormat }: ItemContext): JsonObject {
  const { id, namespace, kind, argumentsText } = part;
  const call_id = mapToolId(id, callIdPattern, 64);
  const members = readItem(part, isOwnFormat);
  const called = { name: unqualifyTool(part), ...optional('namespace', namespace) };
  return kind === 'custom'
    ? { type: 'custom_tool_call', call_id, ...called, input: argumentsText, ...members }
    : {
        type: 'function_call',
        call_id,
        ...called,
        arguments: isOwnFormat ? argumentsText : argumentsText || '{}',
        ...members,
      };
}

function renderResult(part: ToolResultPart, field: string, { losses, customIds }: ItemContext): JsonObject {
  if (part.isError === true)
    losses.push({ field: `${field}.is_error`, reason: 'the format has no such member' });
  const { content, item } = own.read(part);
  const isText = content !== 'list' && part.parts.every((inner) => inner.type === 'text' && isPlain(inner));
  const output = isText
    ? part.parts.flatMap((inner) => (inner.type === 'text' ? [inner.text] : [])).join('\n')
    : part.parts.flatMap((inner) => renderPart(inner, 'input_text', field, losses));
  const type = customIds.has(part.callId) ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id: mapToolId(part.callId, callIdPattern, 64), output, ...asObject(item) };
}
