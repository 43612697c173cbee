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
 * Parses the generation from a Gemini model name, such as 2, 2.5 or 3. Returns the newest generation if the
 * name contains no generation, for example for `gemini-flash-latest` or a tuned model.
 */
function readGeneration(model: string): number {
  const match = /gemini-(\d+(?:\.\d+)?)/.exec(model);
  return match?.[1] === undefined ? Number.POSITIVE_INFINITY : Number(match[1]);
}

/** Properties of the whole request that affect the rendering of a part. */
export interface RenderContext {
  /**
   * Whether the client used the Gemini format. For clients that use the Gemini format, the renderer neither
   * adds nor drops parts.
   */
  readonly isOwnFormat: boolean;
  readonly generation: number;
  /** Names of the called functions, by call id. */
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

/**
 * Renders a message part. Returns an empty list and adds a loss for a part that the Gemini format cannot
 * express.
 */
export function renderPart(part: ChatPart, field: string, context: RenderContext): JsonObject[] {
  if (part.cacheMarker !== undefined)
    context.lose(`${field}.cache_control`, 'Gemini caches automatically and has no cache markers');
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
      if (raw === undefined) context.lose(field, 'the part exists only in its original format');
      return raw === undefined ? [] : [raw as JsonObject];
    }
  }
}

function renderText(part: TextPart, field: string, context: RenderContext): JsonObject {
  // Gemini's own citations are not part of the content, so omitting them is not a loss.
  const hasForeign = part.citations?.some(({ extensions }) => extensions?.gemini === undefined);
  if (hasForeign === true)
    context.lose(`${field}.citations`, 'the format does not accept citations in requests');
  return { text: part.text, ...readRest(part) };
}

function renderThinking(part: ThinkingPart, field: string, context: RenderContext): JsonObject[] {
  if (part.redacted !== undefined) {
    context.lose(field, 'the hidden reasoning belongs to another provider');
    return [];
  }
  // Gemini verifies signatures and rejects signatures from other providers.
  if (!context.isOwnFormat && part.signature !== undefined)
    context.lose(`${field}.signature`, 'the signature belongs to another provider');
  const signature = context.isOwnFormat ? part.signature : undefined;
  return [{ text: part.text, thought: true, ...optional('thoughtSignature', signature), ...readRest(part) }];
}

function renderToolCall(part: ToolCallPart, field: string, context: RenderContext): JsonObject {
  const { functionCall, ...rest } = readRest(part);
  // Some models write `null` or an empty string for a tool without parameters.
  const hasNoArguments = ['', 'null'].includes(part.argumentsText.trim());
  const args = hasNoArguments ? {} : parseObject(part.argumentsText);
  if (args === undefined)
    context.lose(`${field}.arguments`, 'the arguments are not a JSON object and were sent as text');
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

/** Renders bytes as `inlineData` and URLs as `fileData`. */
function renderMedia(
  part: ImagePart | DocumentPart | AudioPart,
  field: string,
  context: RenderContext,
): JsonObject[] {
  const { source } = part;
  if (source.kind === 'file' && !isGoogleFile(source.id)) {
    context.lose(field, 'the file belongs to another provider');
    return [];
  }
  const { inlineData, fileData, ...rest } = readRest(part);
  const spelling = readSpelling(part);
  const mimeType =
    spelling.mimeType === null ? undefined : (spelling.mimeType ?? chooseMediaType(source, part.type));
  const name = part.type === 'document' ? part.name : asText(spelling.displayName);
  // The file name is sent only if the client uses the Gemini format.
  // The Gemini Developer API rejects file names.
  const described = {
    ...optional('mimeType', mimeType),
    ...(context.isOwnFormat ? optional('displayName', name) : {}),
  };
  if (source.kind === 'base64')
    return [{ inlineData: { ...described, data: source.data, ...asObject(inlineData) }, ...rest }];
  const fileUri = source.kind === 'url' ? source.url : source.id;
  return [{ fileData: { ...described, fileUri, ...asObject(fileData) }, ...rest }];
}

/** The first Gemini generation in which a function response can contain images and documents. */
const shownResultsSince = 3;

/**
 * Renders a tool result with the function's name. Before Gemini 3, the images of a tool result become
 * separate parts after the result.
 */
function renderToolResult(part: ToolResultPart, field: string, context: RenderContext): JsonObject[] {
  const spelling = readSpelling(part);
  const name = asText(spelling.name) ?? context.calledNames.get(part.callId);
  if (name === undefined)
    context.lose(`${field}.name`, 'no call has this id, so the id was sent as the name');
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
      if (raw === undefined)
        context.lose(`${field}.${part.type}`, 'the format does not support such a part in a result');
      return raw === undefined ? [] : [raw as JsonObject];
    }
  }
}
