import type { ChatMessage, ChatPart, DocumentPart, JsonObject, ToolResultPart } from '@gateway/interchange';
import { asObject, optional } from '../../json/read-members.ts';
import { own, readRest, readSpelling } from '../shared/own-members.ts';
import { renderToolCall } from '../shared/tool-call.ts';
import { renderMediaUrl } from '../../common/media-url.ts';

/** Collects losses and documents while the messages are rendered. */
export interface RenderContext {
  readonly lose: (field: string, reason: string) => void;
  readonly documents: JsonObject[];
}

/**
 * Renders an interchange message as one or more messages. In Cohere's format, each tool result is a separate
 * message.
 */
export function renderMessage(message: ChatMessage, index: number, context: RenderContext): JsonObject[] {
  const field = `messages[${index}]`;
  const results = message.parts.filter((part) => part.type === 'tool-result');
  const others = message.parts.filter((part) => part.type !== 'tool-result');
  const [only] = results;
  if (only !== undefined && message.parts.length === 1) return renderResult(only, message, field, context);
  const rendered = results.flatMap((result) => renderResult(result, undefined, field, context));
  return results.length > 0 && others.length === 0
    ? rendered
    : [...rendered, renderTurn({ ...message, parts: others }, field, context)];
}

/**
 * Renders a tool result. Tool messages contain only text, so images and other parts are sent in a user
 * message after the tool messages.
 */
function renderResult(
  result: ToolResultPart,
  message: ChatMessage | undefined,
  field: string,
  context: RenderContext,
): JsonObject[] {
  if (result.isError === true) context.lose(`${field}.is_error`, 'the format does not support this field');
  const isMedia = (part: ChatPart): boolean => part.type !== 'text' && part.type !== 'opaque';
  const spelled = readSpelling(message).content;
  const content = renderContent(
    result.parts.filter((part) => !isMedia(part)),
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
  const media = renderContent(result.parts.filter(isMedia), 'list', field, context);
  return Array.isArray(media) && media.length > 0 ? [tool, { role: 'user', content: media }] : [tool];
}

function renderTurn(message: ChatMessage, field: string, context: RenderContext): JsonObject {
  const { content: contentSpelling, role } = readSpelling(message);
  const calls = message.parts.filter((part) => part.type === 'tool-call');
  // In Cohere's format, reasoning before tool calls is a plan.
  // Reasoning from a client's message content is rendered as content.
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

/** Renders message content. Text-only content becomes a string, unless the client sent a list. */
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

/**
 * Renders a message part. Returns an empty list and adds a loss if Cohere's format cannot express the part.
 */
function renderPart(part: ChatPart, field: string, context: RenderContext): JsonObject[] {
  const lose = (reason: string): JsonObject[] => {
    context.lose(field, reason);
    return [];
  };
  if (part.cacheMarker !== undefined)
    context.lose(`${field}.cache_control`, 'Cohere caches automatically and has no cache markers');
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...readRest(part) }];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'thinking':
      if (part.signature !== undefined || part.redacted !== undefined)
        context.lose(`${field}.signature`, 'the format does not sign reasoning');
      return part.text === '' ? [] : [{ type: 'thinking', thinking: part.text, ...readRest(part) }];
    case 'image': {
      const url = renderMediaUrl(part.source);
      if (url === undefined) return lose('the file belongs to another provider');
      const { image_url: image, ...rest } = readRest(part);
      return [{ type: 'image_url', image_url: { url, ...asObject(image) }, ...rest }];
    }
    case 'document':
      return addDocument(part, context) ? [] : lose('the format accepts documents only as text');
    case 'opaque':
      return 'part' in own.read(part)
        ? [own.read(part).part as JsonObject]
        : lose('the part exists only in its original format');
    default:
      return lose('the format does not support such a part');
  }
}

/** Adds a text document to the request's documents, so that the model can cite the document. */
function addDocument({ source, name }: DocumentPart, { documents }: RenderContext): boolean {
  const isText = source.kind === 'base64' && source.mediaType?.startsWith('text/') === true;
  if (!isText) return false;
  const text = Buffer.from(source.data, 'base64').toString('utf8');
  const data = name === undefined ? { text } : { title: name, text };
  documents.push({ id: `document_${documents.length + 1}`, data });
  return true;
}
