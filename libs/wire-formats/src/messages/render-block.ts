import type {
  ChatPart,
  DocumentPart,
  ImagePart,
  JsonObject,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from '@gateway/interchange';
import { asObject } from '../json/read-members.ts';
import { renderCacheControl } from './cache-control.ts';
import { renderCitation } from './citation.ts';
import { renderSource } from './media.ts';
import { own } from './own.ts';
import { parseArguments, renderToolUseHead } from './tool-use.ts';

/** What a part alone of this format knows, and how it spelled the rest. */
export function readSpelled(part: ChatPart): { readonly rest: JsonObject; readonly spelling: JsonObject } {
  const { spelling, ...rest } = own.read(part);
  return { rest, spelling: asObject(spelling) ?? {} };
}

/**
 * The block that says a part; undefined for what the format has no block for. A result of a tool is for who renders
 * messages.
 */
export function renderBlock(part: ChatPart): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return renderText(part);
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'thinking':
      return renderThinkingBlock(part);
    case 'tool-call':
      return renderToolUse(part);
    case 'image':
    case 'document':
      return renderMedia(part);
    case 'opaque':
      return asObject(own.read(part).block);
    case 'audio':
    case 'tool-result':
      return undefined;
  }
}

function renderText(part: TextPart): JsonObject {
  const citations = (part.citations ?? []).flatMap((citation) => renderCitation(citation) ?? []);
  return {
    ...readSpelled(part).rest,
    type: 'text',
    text: part.text,
    ...(citations.length === 0 ? {} : { citations }),
    ...renderCacheControl(part.cacheMarker),
  };
}

function renderThinkingBlock(part: ThinkingPart): JsonObject {
  const { rest } = readSpelled(part);
  return part.redacted === undefined
    ? { ...rest, type: 'thinking', thinking: part.text, signature: part.signature ?? '' }
    : { ...rest, type: 'redacted_thinking', data: part.redacted };
}

function renderToolUse(part: ToolCallPart): JsonObject {
  const { argumentsText } = part;
  // A custom tool's text, and what a model wrote instead of an object, go on as the one member of an object.
  const input =
    part.kind === 'custom'
      ? { input: argumentsText }
      : (parseArguments(argumentsText) ?? { arguments: argumentsText });
  return { ...renderToolUseHead(part), input };
}

function renderMedia(part: ImagePart | DocumentPart): JsonObject | undefined {
  const { rest, spelling } = readSpelled(part);
  const source = spelling.source ?? renderSource(part.source, part.type);
  if (source === undefined) return undefined;
  const title = part.type === 'document' && part.name !== undefined ? { title: part.name } : {};
  return { ...rest, type: part.type, source, ...title, ...renderCacheControl(part.cacheMarker) };
}
