import {
  unqualifyTool,
  type ChatPart,
  type Citation,
  type FinishReason,
  type JsonObject,
  type TokenUsage,
} from '@gateway/interchange';
import { asObject, isObject, optional } from '../../json/read-members.ts';
import { sealCallSignature, sealReasoning } from '../shared/reasoning.ts';
import { own } from '../shared/settings.ts';

/** The kinds of response parts that become output items. */
export type ShownPart = Extract<ChatPart, { type: 'text' | 'refusal' | 'thinking' | 'tool-call' | 'opaque' }>;

/** Prefix of a generated item id, by the kind of response part. */
const idPrefixes = {
  text: 'msg',
  refusal: 'msg',
  thinking: 'rs',
  'tool-call': 'fc',
  opaque: 'item',
} as const;

/**
 * Creates an id for an item. The item id is unique in the conversation, because it contains the
 * response id.
 */
export function nameItem({ type }: Pick<ShownPart, 'type'>, responseId: string, index: number): string {
  return `${idPrefixes[type]}_${responseId.replaceAll(/\W/g, '')}_${index}`;
}

export function isShown(part: ChatPart): part is ShownPart {
  return part.type === 'opaque' ? own.read(part).rawItem !== undefined : part.type in idPrefixes;
}

/** A part of a response, with the texts and citations that were collected from the deltas. */
interface CollectedPart {
  readonly part: ShownPart;
  readonly texts: readonly string[];
  readonly citations: readonly Citation[];
}

/**
 * Returns the complete part, with the text and citations collected from its deltas.
 * @param signed the fields that arrive when reasoning ends
 */
export function completePart({ part, texts, citations }: CollectedPart, signed: object): ShownPart {
  const text = texts.join('');
  switch (part.type) {
    case 'text':
      return { ...part, text, citations };
    case 'refusal':
      return { ...part, text };
    case 'thinking':
      return { ...part, text, ...signed };
    case 'tool-call':
      return { ...part, argumentsText: text };
    case 'opaque':
      return part;
  }
}

/** Renders a response part as an output item. */
export function renderItem(part: ShownPart, id: string, status: 'in_progress' | 'completed'): JsonObject {
  const { item, rawItem } = own.read(part);
  const members = asObject(item);
  switch (part.type) {
    case 'text':
    case 'refusal':
      return {
        ...{ id, type: 'message', status, role: 'assistant' },
        ...members,
        content: status === 'completed' ? [renderContent(part)] : [],
      };
    case 'thinking':
      if (isObject(rawItem)) return { id, ...rawItem };
      return {
        ...{ id, type: 'reasoning' },
        ...members,
        summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
        ...optional('encrypted_content', sealReasoning(part)),
      };
    case 'tool-call': {
      const { id: call_id, namespace, kind, argumentsText } = part;
      const isCustom = kind === 'custom';
      const called = {
        ...{ id, type: isCustom ? 'custom_tool_call' : 'function_call', status, call_id },
        ...{ name: unqualifyTool(part), ...optional('namespace', namespace) },
      };
      return { ...called, ...members, [isCustom ? 'input' : 'arguments']: argumentsText };
    }
    case 'opaque':
      return asObject(rawItem) ?? {};
  }
}

/**
 * Renders the reasoning item that precedes a signed tool call. Returns undefined for a call without a
 * signature.
 */
export function renderCallSignature(signature: string | undefined, id: string): JsonObject | undefined {
  if (signature === undefined) return undefined;
  return { id, type: 'reasoning', summary: [], encrypted_content: sealCallSignature(signature) };
}

/** Renders the content of a message item. */
export function renderContent(part: Extract<ShownPart, { type: 'text' | 'refusal' }>): JsonObject {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  const { text, citations = [] } = part;
  const annotations = citations.flatMap((citation) => renderAnnotation(citation, text.length) ?? []);
  return { type: 'output_text', text, annotations, logprobs: [] };
}

/**
 * Renders a citation as an annotation. The responses format can cite only web pages and files stored at
 * OpenAI. Citations of other sources are dropped.
 */
export function renderAnnotation(citation: Citation, end: number): JsonObject | undefined {
  const raw = asObject(own.read(citation).annotation);
  if (raw !== undefined) return raw;
  const { url, title = '' } = citation;
  if (url === undefined || !/^https?:/i.test(url)) return undefined;
  return { type: 'url_citation', url, title, start_index: 0, end_index: end };
}

export function renderUsage(usage: TokenUsage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens ?? 0,
      ...optional('cache_write_tokens', usage.cacheWriteTokens),
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

/** Returns the status of a response. For an incomplete response, also returns the reason. */
export function renderStatus(reason: FinishReason | undefined): JsonObject {
  const isFiltered = reason === 'content-filter' || reason === 'refusal';
  const detail = reason === 'length' ? 'max_output_tokens' : isFiltered ? 'content_filter' : undefined;
  return detail === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason: detail } };
}
