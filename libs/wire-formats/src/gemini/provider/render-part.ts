import type { ChatPart, JsonObject, TextPart, ThinkingPart, ToolCallPart } from '@gateway/interchange';
import { parseObject } from '../../json/parse-json.ts';
import { asObject, optional } from '../../json/read-members.ts';
import { renderCallId } from '../call-id.ts';
import { own, readRest } from '../own.ts';
import type { RenderContext } from './render-context.ts';
import { renderMedia } from './render-media.ts';
import { renderToolResult } from './render-tool-result.ts';

/** A part as the format writes it; none, and a loss, for what it has no part for. */
export function renderPart(part: ChatPart, field: string, context: RenderContext): JsonObject[] {
  if (part.cacheMarker !== undefined) context.lose(`${field}.cache_control`, 'Gemini caches by itself');
  switch (part.type) {
    case 'text':
      return [renderText(part, field, context)];
    case 'refusal':
      return [{ text: part.text }];
    case 'thinking':
      return renderThinking(part, field, context);
    case 'image':
    case 'document':
    case 'audio':
      return renderMedia(part, field, context);
    case 'tool-call':
      return [renderToolCall(part, field, context)];
    case 'tool-result':
      return renderToolResult(part, field, context);
    case 'opaque': {
      const { part: raw } = own.read(part);
      if (raw === undefined) context.lose(field, 'a part of another format');
      return raw === undefined ? [] : [raw as JsonObject];
    }
  }
}

function renderText(part: TextPart, field: string, context: RenderContext): JsonObject {
  // Gemini's own stand beside the content of its answers, and are not sent back.
  const hasForeign = part.citations?.some(({ extensions }) => extensions?.gemini === undefined);
  if (hasForeign === true) context.lose(`${field}.citations`, 'the format takes none in requests');
  return { text: part.text, ...readRest(part) };
}

function renderThinking(part: ThinkingPart, field: string, context: RenderContext): JsonObject[] {
  if (part.redacted !== undefined) {
    context.lose(field, 'hidden thinking of another provider');
    return [];
  }
  // Gemini checks signatures, and refuses one that it did not make.
  if (!context.isOwnFormat && part.signature !== undefined)
    context.lose(`${field}.signature`, 'a signature of another provider');
  const signature = context.isOwnFormat ? part.signature : undefined;
  return [{ text: part.text, thought: true, ...optional('thoughtSignature', signature), ...readRest(part) }];
}

function renderToolCall(part: ToolCallPart, field: string, context: RenderContext): JsonObject {
  const { functionCall, ...rest } = readRest(part);
  // Some models write `null`, or nothing, where a tool takes nothing.
  const takesNothing = ['', 'null'].includes(part.argumentsText.trim());
  const args = takesNothing ? {} : parseObject(part.argumentsText);
  if (args === undefined) context.lose(`${field}.arguments`, 'the format takes objects: sent as its text');
  return {
    functionCall: {
      ...renderCallId(part.id),
      name: part.name,
      args: args ?? { arguments: part.argumentsText },
      ...asObject(functionCall),
    },
    ...optional('thoughtSignature', part.signature),
    ...rest,
  };
}
