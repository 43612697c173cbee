import type {
  AudioPart,
  ChatPart,
  ChatRequest,
  DocumentPart,
  ImagePart,
  JsonObject,
  Loss,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '@gateway/interchange';
import { parseObject } from '../../json/parse-json.ts';
import { asObject, asText, optional } from '../../json/read-members.ts';
import { renderCallId } from '../shared/call-ids.ts';
import { own, readRest, readSpelling } from '../shared/own-members.ts';
import { chooseMediaType, isGoogleFile } from '../shared/media.ts';

/**
 * The generation of a Gemini model, by its name: 2, 2.5, 3. A name that does not say it (`gemini-flash-latest`, a tuned
 * model) is taken for a new one.
 */
function readGeneration(model: string): number {
  const match = /gemini-(\d+(?:\.\d+)?)/.exec(model);
  return match?.[1] === undefined ? Number.POSITIVE_INFINITY : Number(match[1]);
}

/** What the parts of a request need to know of the whole of it. */
export interface RenderContext {
  /** Whether the request came in this very format: then nothing is added to it, and nothing left out. */
  readonly isOwnFormat: boolean;
  readonly generation: number;
  /** The names of the functions that were called, by the ids of the calls. */
  readonly calledNames: ReadonlyMap<string, string>;
  readonly lose: (field: string, reason: string) => void;
}

export function createRenderContext(request: ChatRequest, model: string, losses: Loss[]): RenderContext {
  const calledNames = new Map<string, string>();
  for (const { parts } of request.messages) {
    for (const part of parts) if (part.type === 'tool-call') calledNames.set(part.id, part.name);
  }
  return {
    isOwnFormat: request.extensions?.gemini !== undefined,
    generation: readGeneration(model),
    calledNames,
    lose: (field, reason) => losses.push({ field, reason }),
  };
}

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

/** `inlineData` for bytes, `fileData` for what has an address. */
function renderMedia(
  part: ImagePart | DocumentPart | AudioPart,
  field: string,
  context: RenderContext,
): JsonObject[] {
  const { source } = part;
  if (source.kind === 'file' && !isGoogleFile(source.id)) {
    context.lose(field, 'a file of another provider');
    return [];
  }
  const { inlineData, fileData, ...rest } = readRest(part);
  const spelling = readSpelling(part);
  const mimeType =
    spelling.mimeType === null ? undefined : (spelling.mimeType ?? chooseMediaType(source, part.type));
  const name = part.type === 'document' ? part.name : asText(spelling.displayName);
  // A name is told where the file came from Gemini's own format alone: the Developer API refuses it.
  const described = {
    ...optional('mimeType', mimeType),
    ...(context.isOwnFormat ? optional('displayName', name) : {}),
  };
  if (source.kind === 'base64')
    return [{ inlineData: { ...described, data: source.data, ...asObject(inlineData) }, ...rest }];
  const fileUri = source.kind === 'url' ? source.url : source.id;
  return [{ fileData: { ...described, fileUri, ...asObject(fileData) }, ...rest }];
}

/** From this generation on a function may answer in images and documents. */
const shownResultsSince = 3;

/** What came of a call, by the function's name; before Gemini 3 its images follow as parts of their own. */
function renderToolResult(part: ToolResultPart, field: string, context: RenderContext): JsonObject[] {
  const spelling = readSpelling(part);
  const name = asText(spelling.name) ?? context.calledNames.get(part.callId);
  if (name === undefined) context.lose(`${field}.name`, 'no call of that id: sent under the id');
  const shown = part.parts.flatMap((each, index) => renderShown(each, `${field}.parts[${index}]`, context));
  const { functionResponse, ...rest } = readRest(part);
  const isInside = context.isOwnFormat || context.generation >= shownResultsSince;
  const response = asObject(spelling.response) ?? {
    [part.isError === true ? 'error' : 'output']: joinTexts(part),
  };
  const answer = {
    ...(spelling.id === undefined ? renderCallId(part.callId) : optional('id', spelling.id)),
    name: name ?? part.callId,
    response,
    ...(isInside && shown.length > 0 ? { parts: shown } : {}),
    ...asObject(functionResponse),
  };
  return [{ functionResponse: answer, ...rest }, ...(isInside ? [] : shown)];
}

function joinTexts(part: ToolResultPart): string {
  return part.parts.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n');
}

function renderShown(part: ChatPart, field: string, context: RenderContext): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [];
    case 'image':
    case 'document':
    case 'audio':
      return renderMedia(part, field, context);
    default: {
      const { part: raw } = readRest(part);
      if (raw === undefined) context.lose(`${field}.${part.type}`, 'the format has no such part in a result');
      return raw === undefined ? [] : [raw as JsonObject];
    }
  }
}
