import type {
  ChatMessage,
  ChatPart,
  JsonObject,
  Loss,
  MediaSource,
  ToolResultPart,
} from '@gateway/interchange';
import { asObject, asText, optional } from '../../json/read-members.ts';
import { readOwn } from '../shared/own-members.ts';
import { renderToolCall } from '../shared/tools.ts';
import { renderMediaUrl } from '../../common/media-url.ts';

/**
 * Renders an interchange message as one or more messages in the chat completions format. Each tool result
 * becomes a separate message. Tool messages can contain only text, so images and files of tool results are
 * sent in a user message after the tool messages.
 */
export function renderMessages(message: ChatMessage, index: number, losses: Loss[]): JsonObject[] {
  const own = readOwn(message);
  const field = `messages[${index}]`;
  if (message.role === 'tool' && message.parts.length === 1 && message.parts[0]?.type === 'tool-result') {
    const result = message.parts[0];
    const { tool, media } = renderToolResult(result, own, field, losses);
    return media.length === 0 ? [tool] : [tool, { role: 'user', content: media }];
  }
  const results = message.parts.filter((part) => part.type === 'tool-result');
  const rendered = results.map((result) => renderToolResult(result, {}, field, losses));
  const others = message.parts.filter((part) => part.type !== 'tool-result');
  const media = rendered.flatMap((result) => result.media);
  const tools = rendered.map((result) => result.tool);
  if (results.length > 0 && others.length === 0 && media.length === 0) return tools;
  return [...tools, renderTurn({ ...message, parts: others }, own, media, field, losses)];
}

interface RenderedResult {
  readonly tool: JsonObject;
  readonly media: readonly JsonObject[];
}

function renderToolResult(
  result: ToolResultPart,
  own: JsonObject,
  field: string,
  losses: Loss[],
): RenderedResult {
  if (result.isError === true)
    losses.push({ field: `${field}.is_error`, reason: 'the format has no such member' });
  const { content, ...members } = own;
  const isListed = content === 'list';
  const inPlace = result.parts.filter((part) => isListed || part.type === 'text');
  const media = isListed ? [] : result.parts.filter((part) => part.type !== 'text');
  return {
    tool: {
      role: 'tool',
      ...(result.callId === '' ? {} : { tool_call_id: result.callId }),
      content: renderContent(inPlace, isListed, field, losses) ?? '',
      ...members,
    },
    media: media.flatMap((part) => renderContentPart(part, field, losses)),
  };
}

function renderTurn(
  message: ChatMessage,
  own: JsonObject,
  media: readonly JsonObject[],
  field: string,
  losses: Loss[],
): JsonObject {
  const { content: spelling, ...members } = own;
  const contents = message.parts.filter(isContent);
  const calls = message.parts.filter((part) => part.type === 'tool-call').map(renderToolCall);
  const content = renderContent(contents, spelling === 'list' || media.length > 0, field, losses);
  return {
    role: message.role,
    content: Array.isArray(content) ? [...media, ...(content as unknown[])] : content,
    ...renderThoughts(message, field, losses),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...members,
  };
}

function isContent(part: ChatPart): boolean {
  return (
    part.type !== 'thinking' && part.type !== 'tool-call' && !(part.type === 'refusal' && isMember(part))
  );
}

/** Whether the client sent a message part in a message field rather than in the message content. */
function isMember(part: ChatPart): boolean {
  return readOwn(part).field !== undefined;
}

/** Renders text-only content as a string, because many providers accept lists only in user messages. */
function renderContent(
  parts: readonly ChatPart[],
  isListed: boolean,
  field: string,
  losses: Loss[],
): string | JsonObject[] | null {
  if (!isListed && parts.length === 0) return null;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (!isListed && texts.length === parts.length) return texts.join('\n');
  return parts.flatMap((part) => renderContentPart(part, field, losses));
}

/**
 * Renders thinking and refusals that the client sent in separate message fields. Thinking from other formats
 * is reported as a loss, because the chat completions format cannot verify the thinking.
 */
function renderThoughts(message: ChatMessage, field: string, losses: Loss[]): JsonObject {
  const members: Record<string, string> = {};
  for (const part of message.parts) {
    if (part.type !== 'thinking' && part.type !== 'refusal') continue;
    const member = asText(readOwn(part).field);
    if (member !== undefined) members[member] = (members[member] ?? '') + part.text;
    else if (part.type === 'thinking')
      losses.push({ field: `${field}.thinking`, reason: 'the format has no such part' });
  }
  return members;
}

/**
 * Renders one part of a content list. Returns an empty list and adds a loss if the format cannot express the
 * part.
 */
function renderContentPart(part: ChatPart, field: string, losses: Loss[]): JsonObject[] {
  const own = readOwn(part);
  const lose = (reason: string): JsonObject[] => {
    losses.push({ field: `${field}.${part.type}`, reason });
    return [];
  };
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...own }];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text, ...own }];
    case 'image': {
      const url = renderMediaUrl(part.source);
      if (url === undefined) return lose('the file is stored at another provider');
      return [{ ...own, type: 'image_url', image_url: { ...asObject(own.image_url), url } }];
    }
    case 'audio':
      return part.source.kind === 'base64'
        ? [renderAudio(part.source, own)]
        : lose('the format takes audio only inline');
    case 'document':
      return [renderFile(part.source, part.name, own)];
    case 'opaque':
      return 'part' in own ? [own.part as JsonObject] : lose('the part belongs to another format');
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return lose('the format does not allow this part in content');
  }
}

function renderAudio(source: Extract<MediaSource, { kind: 'base64' }>, own: JsonObject): JsonObject {
  const format = source.mediaType?.replace(/^audio\//, '');
  return {
    ...own,
    type: 'input_audio',
    input_audio: { ...asObject(own.input_audio), data: source.data, ...optional('format', format) },
  };
}

function renderFile(source: MediaSource, name: string | undefined, own: JsonObject): JsonObject {
  const place = source.kind === 'file' ? { file_id: source.id } : { file_data: renderMediaUrl(source) };
  return { ...own, type: 'file', file: { ...asObject(own.file), ...place, ...optional('filename', name) } };
}
