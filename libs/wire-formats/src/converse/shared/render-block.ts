import type {
  CacheMarker,
  ChatPart,
  JsonObject,
  Loss,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '@gateway/interchange';
import { parseExactJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, optional } from '../../json/read-members.ts';
import { mapToolId } from '../../common/tool-names.ts';
import { renderCachePoint, renderCitation, renderRedacted } from './block-values.ts';
import { own } from './own-members.ts';
import { renderInput } from './tools.ts';
import { createDocumentNames, renderMedia } from './media.ts';

/** What rendering has to know, and what it finds, beside the part at hand. */
export interface BlockContext {
  readonly losses: Loss[];
  readonly nameDocument: (given: string | undefined) => string;
  /** The place of the turn, in the interchange's spelling. */
  readonly field: string;
  /** A client is shown whatever was thought; a model takes back what it signed. */
  readonly isAnswer?: boolean;
}

export function createBlockContext(field = '', losses: Loss[] = []): BlockContext {
  return { losses, field, nameDocument: createDocumentNames() };
}

/** For what a client gets, where losses are nobody's to tell. */
export function createAnswerContext(): BlockContext {
  return { ...createBlockContext(), isAnswer: true };
}

/** Content blocks, each followed by the cache point that it is marked with. */
export function renderContent(parts: readonly ChatPart[], context: BlockContext): JsonObject[] {
  return parts.flatMap((part) => {
    const block = renderBlock(part, context);
    if (block === undefined) return [];
    const marker = findMarker(part);
    return marker === undefined ? [block] : [block, renderCachePoint(marker)];
  });
}

/** A result takes no cache point inside: what is marked in it ends with it. */
function findMarker(part: ChatPart): CacheMarker | undefined {
  if (part.type !== 'tool-result' || part.cacheMarker !== undefined) return part.cacheMarker;
  return part.parts.findLast(({ cacheMarker }) => cacheMarker !== undefined)?.cacheMarker;
}

/** Undefined, and a loss, for what the format has no block for. */
function renderBlock(part: ChatPart, context: BlockContext): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return renderText(part);
    case 'refusal':
      return { text: part.text };
    case 'image':
    case 'document':
    case 'audio': {
      const block = renderMedia(part, context.nameDocument);
      return typeof block === 'string' ? lose(part, block, context) : block;
    }
    case 'thinking':
      return renderThinking(part, context) ?? lose(part, 'unsigned thinking of another format', context);
    case 'tool-call':
      return renderToolUse(part, context);
    case 'tool-result':
      return renderToolResult(part, context);
    case 'opaque': {
      const { part: raw } = own.read(part);
      return asObject(raw) ?? lose(part, 'a part of another format', context);
    }
  }
}

function lose(part: ChatPart, reason: string, { losses, field }: BlockContext): JsonObject | undefined {
  losses.push({ field: `${field}.${part.type}`, reason });
  return undefined;
}

function renderText(part: TextPart): JsonObject | undefined {
  const { spelling, guardContent, ...rest } = own.read(part);
  if (part.citations !== undefined) return renderCited(part, spelling, rest);
  if (spelling === 'json') return { json: parseExactJson(part.text) };
  if (guardContent !== undefined)
    return { guardContent: { text: { text: part.text, ...asObject(guardContent) } } };
  return { text: part.text, ...rest };
}

function renderCited(part: TextPart, spelling: unknown, rest: JsonObject): JsonObject {
  const texts = Array.isArray(spelling) ? asList(spelling) : part.text === '' ? [] : [part.text];
  return {
    citationsContent: {
      ...(texts.length === 0 ? {} : { content: texts.map((text) => ({ text })) }),
      citations: (part.citations ?? []).map(renderCitation),
      ...rest,
    },
  };
}

/** A model takes back its own thoughts alone, which it knows by their signature. */
function renderThinking(part: ThinkingPart, { isAnswer = false }: BlockContext): JsonObject | undefined {
  const { spelling, ...rest } = own.read(part);
  if (part.redacted !== undefined) {
    const redactedContent = spelling === 'base64' ? part.redacted : renderRedacted(part.redacted);
    return { reasoningContent: { redactedContent } };
  }
  if (part.signature === undefined && spelling === undefined && !isAnswer) return undefined;
  const signature = part.signature === undefined ? {} : { signature: part.signature };
  return { reasoningContent: { reasoningText: { text: part.text, ...signature, ...rest } } };
}

/** `ToolUseBlock.toolUseId` of the Amazon Bedrock API reference. */
const renderCallId = (id: string): string => mapToolId(id, /^[\w.:-]{1,64}$/, 64);

function renderToolUse(part: ToolCallPart, { field, losses, isAnswer = false }: BlockContext): JsonObject {
  // A custom tool's text goes on as the one member of an object, as in the messages format.
  const input =
    part.kind === 'custom'
      ? { input: part.argumentsText }
      : renderInput(part.argumentsText, `${field}.${part.name}`, losses);
  const head = renderCallHead(isAnswer ? part : { ...part, id: renderCallId(part.id) });
  return { toolUse: { ...head, input } };
}

/** All of a call but its arguments: how a stream begins to tell it. */
export function renderCallHead(call: Pick<ToolCallPart, 'id' | 'name' | 'extensions'>): JsonObject {
  const { spelling, ...rest } = own.read(call);
  return { toolUseId: call.id, name: call.name, ...optional('type', asText(spelling)), ...rest };
}

function renderToolResult(part: ToolResultPart, context: BlockContext): JsonObject {
  const spoken = part.parts.filter((inner) => !saysNothing(inner));
  const status = part.isError === undefined ? {} : { status: part.isError ? 'error' : 'success' };
  return {
    toolResult: {
      toolUseId: context.isAnswer === true ? part.callId : renderCallId(part.callId),
      content: spoken.map((inner) => renderBlock(inner, context)).filter((block) => block !== undefined),
      ...status,
      ...own.read(part),
    },
  };
}

/** The API refuses blank text. A blank that came with more to it, a citation or a cache point, is not dropped. */
export function isBlank(part: ChatPart): boolean {
  return saysNothing(part) && part.cacheMarker === undefined;
}

function saysNothing(part: ChatPart): boolean {
  return (
    part.type === 'text' &&
    part.text.trim() === '' &&
    part.citations === undefined &&
    asText(part.extensions?.converse?.spelling) === undefined
  );
}
