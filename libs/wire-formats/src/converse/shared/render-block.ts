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

/** Options for rendering blocks, and the losses found while rendering. */
export interface BlockContext {
  readonly losses: Loss[];
  readonly nameDocument: (given: string | undefined) => string;
  /** The path to the turn in the request body, such as `messages[0]`. */
  readonly field: string;
  /**
   * True for responses to a client. A client receives reasoning from all models. A model accepts only
   * reasoning with the model's own signature.
   */
  readonly isAnswer?: boolean;
}

function createBlockContext(field = '', losses: Loss[] = []): BlockContext {
  return { losses, field, nameDocument: createDocumentNames() };
}

/** The context for rendering responses. Losses in responses are not reported. */
export function createAnswerContext(): BlockContext {
  return { ...createBlockContext(), isAnswer: true };
}

/** Renders content blocks. A cache point follows each block that has a cache marker. */
export function renderContent(parts: readonly ChatPart[], context: BlockContext): JsonObject[] {
  return parts.flatMap((part) => {
    const block = renderBlock(part, context);
    if (block === undefined) return [];
    const marker = findMarker(part);
    return marker === undefined ? [block] : [block, renderCachePoint(marker)];
  });
}

/**
 * Returns the cache marker of a part. A tool result cannot contain a cache point, so a cache marker inside
 * the result applies to the end of the result.
 */
function findMarker(part: ChatPart): CacheMarker | undefined {
  if (part.type !== 'tool-result' || part.cacheMarker !== undefined) return part.cacheMarker;
  return part.parts.findLast(({ cacheMarker }) => cacheMarker !== undefined)?.cacheMarker;
}

/**
 * Renders a part as a content block. Returns undefined and adds a loss for a part that has no equivalent
 * block in the Converse format.
 */
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
      return (
        renderThinking(part, context) ??
        lose(part, 'the model accepts only its own signed reasoning', context)
      );
    case 'tool-call':
      return renderToolUse(part, context);
    case 'tool-result':
      return renderToolResult(part, context);
    case 'opaque': {
      const { part: raw } = own.read(part);
      return asObject(raw) ?? lose(part, 'the part exists only in its original format', context);
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

/** A model accepts only its own reasoning, which it verifies with the signature. */
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

/** Pattern for tool call ids, from `ToolUseBlock.toolUseId` in the Amazon Bedrock API reference. */
const renderCallId = (id: string): string => mapToolId(id, /^[\w.:-]{1,64}$/, 64);

function renderToolUse(part: ToolCallPart, { field, losses, isAnswer = false }: BlockContext): JsonObject {
  // The free text of a custom tool call becomes the only field of an object, as in the Messages format.
  const input =
    part.kind === 'custom'
      ? { input: part.argumentsText }
      : renderInput(part.argumentsText, `${field}.${part.name}`, losses);
  const head = renderCallHead(isAnswer ? part : { ...part, id: renderCallId(part.id) });
  return { toolUse: { ...head, input } };
}

/** Renders a tool call without its arguments, for the start of the call in a stream. */
export function renderCallHead(call: Pick<ToolCallPart, 'id' | 'name' | 'extensions'>): JsonObject {
  const { spelling, ...rest } = own.read(call);
  return { toolUseId: call.id, name: call.name, ...optional('type', asText(spelling)), ...rest };
}

function renderToolResult(part: ToolResultPart, context: BlockContext): JsonObject {
  const content = part.parts.filter((inner) => !isBlankText(inner));
  const status = part.isError === undefined ? {} : { status: part.isError ? 'error' : 'success' };
  return {
    toolResult: {
      toolUseId: context.isAnswer === true ? part.callId : renderCallId(part.callId),
      content: content.map((inner) => renderBlock(inner, context)).filter((block) => block !== undefined),
      ...status,
      ...own.read(part),
    },
  };
}

/**
 * Whether a part is dropped because its text is blank. The Converse API rejects blank text. Blank text with a
 * citation or a cache point is kept.
 */
export function isBlank(part: ChatPart): boolean {
  return isBlankText(part) && part.cacheMarker === undefined;
}

function isBlankText(part: ChatPart): boolean {
  return (
    part.type === 'text' &&
    part.text.trim() === '' &&
    part.citations === undefined &&
    asText(part.extensions?.converse?.spelling) === undefined
  );
}
