import type { ChatMessage, ChatPart, JsonObject, ToolResultPart } from '@gateway/interchange';
import { optional } from '../../json/read-members.ts';
import { readRest, readSpelling } from '../own.ts';
import { renderToolCall } from '../tool-call.ts';
import type { RenderContext } from './render-context.ts';
import { renderPart } from './render-part.ts';

/** A message as messages of this format: a tool result is a message of its own here. */
export function renderMessage(message: ChatMessage, index: number, context: RenderContext): JsonObject[] {
  const field = `messages[${index}]`;
  const results = message.parts.filter((part) => part.type === 'tool-result');
  const spoken = message.parts.filter((part) => part.type !== 'tool-result');
  const [only] = results;
  if (only !== undefined && message.parts.length === 1) return renderResult(only, message, field, context);
  const rendered = results.flatMap((result) => renderResult(result, undefined, field, context));
  return results.length > 0 && spoken.length === 0
    ? rendered
    : [...rendered, renderSpoken({ ...message, parts: spoken }, field, context)];
}

/** Tool messages are text and documents; what else a result shows follows in the user's name. */
function renderResult(
  result: ToolResultPart,
  message: ChatMessage | undefined,
  field: string,
  context: RenderContext,
): JsonObject[] {
  if (result.isError === true) context.lose(`${field}.is_error`, 'the format has no such member');
  const isShown = (part: ChatPart): boolean => part.type !== 'text' && part.type !== 'opaque';
  const spelled = readSpelling(message).content;
  const content = renderContent(
    result.parts.filter((part) => !isShown(part)),
    spelled,
    field,
    context,
  );
  const tool = {
    role: 'tool',
    ...(result.callId === '' ? {} : { tool_call_id: result.callId }),
    content: content ?? '',
    ...readRest(message),
  };
  const shown = renderContent(result.parts.filter(isShown), 'list', field, context);
  return Array.isArray(shown) && shown.length > 0 ? [tool, { role: 'user', content: shown }] : [tool];
}

function renderSpoken(message: ChatMessage, field: string, context: RenderContext): JsonObject {
  const { content: contentSpelling, role } = readSpelling(message);
  const calls = message.parts.filter((part) => part.type === 'tool-call');
  // A thought before calls is what the format names a plan; one that came as content goes back as content.
  const isPlan = (part: ChatPart): boolean =>
    part.type === 'thinking' &&
    (contentSpelling === undefined ? calls.length > 0 : readSpelling(part).field === 'tool_plan');
  const plans = message.parts.flatMap((part) =>
    part.type === 'thinking' && isPlan(part) ? [part.text] : [],
  );
  const contents = message.parts.filter((part) => part.type !== 'tool-call' && !isPlan(part));
  return {
    role: role ?? message.role,
    ...optional('content', renderContent(contents, contentSpelling, field, context)),
    ...(plans.length === 0 ? {} : { tool_plan: plans.join('') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(renderToolCall) }),
    ...readRest(message),
  };
}

/** Text alone is written as text, unless it came as a list. */
function renderContent(
  parts: readonly ChatPart[],
  spelled: unknown,
  field: string,
  context: RenderContext,
): string | JsonObject[] | undefined {
  if (parts.length === 0 && spelled !== 'list') return undefined;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (spelled !== 'list' && texts.length === parts.length) return texts.join('\n');
  return parts.flatMap((part, index) => renderPart(part, `${field}.parts[${index}]`, context));
}
