import type { ChatMessage, ChatPart, DocumentPart, JsonObject, ToolResultPart } from '@gateway/interchange';
import { asObject, optional } from '../../json/read-members.ts';
import { own, readRest, readSpelling } from '../shared/own-members.ts';
import { renderToolCall } from '../shared/tool-call.ts';
import { renderMediaUrl } from '../../common/media-url.ts';

/** What the parts of a request tell the whole of it. */
export interface RenderContext {
  readonly lose: (field: string, reason: string) => void;
  /** Filled while messages are rendered. */
  readonly documents: JsonObject[];
}

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

/** An element of a content list; none, and a loss, for what the format has no part for. */
function renderPart(part: ChatPart, field: string, context: RenderContext): JsonObject[] {
  const lose = (reason: string): JsonObject[] => {
    context.lose(field, reason);
    return [];
  };
  if (part.cacheMarker !== undefined) context.lose(`${field}.cache_control`, 'Cohere caches by itself');
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...readRest(part) }];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'thinking':
      if (part.signature !== undefined || part.redacted !== undefined)
        context.lose(`${field}.signature`, 'the format signs no thinking');
      return part.text === '' ? [] : [{ type: 'thinking', thinking: part.text, ...readRest(part) }];
    case 'image': {
      const url = renderMediaUrl(part.source);
      if (url === undefined) return lose('a file of another provider');
      const { image_url: image, ...rest } = readRest(part);
      return [{ type: 'image_url', image_url: { url, ...asObject(image) }, ...rest }];
    }
    case 'document':
      return addDocument(part, context) ? [] : lose('the format takes documents as text only');
    case 'opaque':
      return 'part' in own.read(part)
        ? [own.read(part).part as JsonObject]
        : lose('a part of another format');
    default:
      return lose('the format has no such part');
  }
}

/** A document of text becomes one of the request's documents, which the model cites from. */
function addDocument({ source, name }: DocumentPart, { documents }: RenderContext): boolean {
  const isText = source.kind === 'base64' && source.mediaType?.startsWith('text/') === true;
  if (!isText) return false;
  const text = Buffer.from(source.data, 'base64').toString('utf8');
  const data = name === undefined ? { text } : { title: name, text };
  documents.push({ id: `document_${documents.length + 1}`, data });
  return true;
}
