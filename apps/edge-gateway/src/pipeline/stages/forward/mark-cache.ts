import type { CacheMarker, ChatMessage, ChatPart, ChatRequest, ChatTool } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { CacheMarkerRules } from '@gateway/wire-formats';
import { paysToCache } from '../../../request/prompt-caching.ts';
import { charactersPerToken } from '../../../request/token-estimates.ts';

/**
 * A cache marker without a lifetime. For a marker without a lifetime, the provider uses its shortest lifetime, which
 * has the lowest cache write price.
 */
const marker: CacheMarker = {};

export interface MarkedTarget {
  /** The model's name at the provider. */
  readonly model: string;
  /**
   * The catalogue entry of the model. Undefined for a model that is not in the catalogue. The gateway adds no
   * markers for such a model, because the caching rules of the model are unknown.
   */
  readonly facts: CatalogModel | undefined;
  /**
   * The rules for cache markers in the provider's format. Undefined for a format without cache
   * markers.
   */
  readonly rules: CacheMarkerRules | undefined;
  /** Estimated number of tokens in the whole request. */
  readonly tokens: number;
}

/** A request with the cache markers that the gateway added, and the number of these markers. */
export interface MarkedRequest {
  readonly request: ChatRequest;
  readonly markers: number;
}

/**
 * Adds up to four cache markers to a translated request. One marker follows the tools, and one marker follows the
 * leading system messages. A third marker follows the last message before the model's last turn, and a fourth
 * marker follows the last message. The third marker is at the end of the previous request, so the provider finds
 * the previous prefix even after a long turn. The gateway adds markers in the order of the prompt, up to the number
 * that the provider accepts. Each marker is at the end of a prefix that the provider can cache. The gateway adds no
 * markers if the client placed cache markers itself. No markers are added if cache writes are expected to cost more
 * than cache reads save.
 */
export function markCache(request: ChatRequest, target: MarkedTarget): MarkedRequest {
  const { rules, facts, model, tokens } = target;
  const minTokens = facts?.cache?.minTokens ?? 0;
  const isCached = rules !== undefined && tokens >= minTokens && paysToCache(facts, shapeOf(request));
  if (!isCached || hasMarkers(request)) return { request, markers: 0 };
  const places = choosePlaces(request, rules.marksTools(model), minTokens).slice(0, rules.markersMax);
  const marked = new Set(places);
  return {
    request: {
      ...request,
      tools: request.tools.map((tool) => (marked.has(tool) ? { ...tool, cacheMarker: marker } : tool)),
      messages: request.messages.map((message) => {
        const part = findMarkable(message);
        if (part === undefined || !marked.has(part)) return message;
        const parts = message.parts.map((each) => (each === part ? { ...each, cacheMarker: marker } : each));
        return { ...message, parts };
      }),
    },
    markers: places.length,
  };
}

/** Lists the tools and content parts to mark, in the order of the prompt. */
function choosePlaces(
  request: ChatRequest,
  marksTools: boolean,
  minTokens: number,
): readonly (ChatTool | ChatPart)[] {
  const { messages } = request;
  const lastTurn = messages.findLastIndex(({ role }) => role === 'assistant');
  const end = messages.findIndex(({ role }) => role !== 'system');
  const instructions = messages.slice(0, end < 0 ? messages.length : end);
  const charactersMin = minTokens * charactersPerToken;
  const toolCharacters = lengthUpTo(charactersMin, request.tools);
  const systemCharacters = toolCharacters + lengthUpTo(charactersMin - toolCharacters, instructions);
  return [
    marksTools && toolCharacters >= charactersMin ? findTool(request) : undefined,
    systemCharacters >= charactersMin ? findLastMarkable(instructions) : undefined,
    findLastMarkable(messages.slice(instructions.length, Math.max(lastTurn, instructions.length))),
    findLastMarkable(messages.slice(Math.max(lastTurn + 1, instructions.length))),
  ].filter((place) => place !== undefined);
}

/** Returns the last tool that can have a cache marker in every format. */
function findTool({ tools, toolChoice }: ChatRequest): ChatTool | undefined {
  return tools.findLast(
    (tool) =>
      tool.kind === 'function' && (toolChoice.mode !== 'allowed' || toolChoice.names.includes(tool.name)),
  );
}

function findLastMarkable(messages: readonly ChatMessage[]): ChatPart | undefined {
  for (const message of messages.toReversed()) {
    const part = findMarkable(message);
    if (part !== undefined) return part;
  }
  return undefined;
}

/**
 * Returns the last content part that can carry a cache marker. Providers reject cache markers on blank text
 * and on reasoning.
 */
function findMarkable({ role, parts }: ChatMessage): ChatPart | undefined {
  if (role === 'assistant') return undefined;
  return parts.findLast(
    (part) =>
      part.type === 'image' ||
      part.type === 'document' ||
      part.type === 'tool-result' ||
      (part.type === 'text' && part.text.trim() !== ''),
  );
}

function hasMarkers({ tools, messages }: ChatRequest): boolean {
  return (
    tools.some(({ cacheMarker }) => cacheMarker !== undefined) ||
    messages.some(({ parts }) => parts.some(isMarked))
  );
}

function isMarked(part: ChatPart): boolean {
  return part.cacheMarker !== undefined || (part.type === 'tool-result' && part.parts.some(isMarked));
}

function shapeOf({ tools, messages }: ChatRequest) {
  return { hasTools: tools.length > 0, hasTurns: messages.some(({ role }) => role === 'assistant') };
}

/**
 * Returns the length of the given data as JSON. The function stops counting at `max`, because a tool list may
 * take megabytes.
 */
function lengthUpTo(max: number, values: readonly unknown[]): number {
  let length = 0;
  for (const value of values) {
    if (length >= max) break;
    length += JSON.stringify(value).length;
  }
  return length;
}
