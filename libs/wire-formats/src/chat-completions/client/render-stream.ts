import type { JsonObject, StreamEvent, TokenUsage } from '@gateway/interchange';
import type { StreamRenderOptions } from '../../common/format.ts';
import { asText } from '../../json/read-members.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { mapToRawReason } from '../shared/finish-reasons.ts';
import { readOwn } from '../shared/own-members.ts';
import { renderUsage } from '../shared/token-usage.ts';
import { renderToolCall } from '../shared/tools.ts';
import { nothingCited, noteCitation, renderAnnotations, type CitedText } from './annotations.ts';
import { renderContentPart } from './render-response.ts';
import { frameOf, renderErrorChunk } from './render-error.ts';

/** The stream renderer's immutable state between two frames. */
export interface StreamRenderState {
  readonly envelope: JsonObject;
  readonly isOwnFormat: boolean;
  readonly includesUsage: boolean;
  /** Choices for which at least one chunk was sent. The first chunk of a choice contains the role. */
  readonly begun: ReadonlySet<number>;
  /** The function that renders the text of an open block, for each block in each choice. */
  readonly blocks: ReadonlyMap<string, DeltaRenderer>;
  /** Number of tool calls so far in each choice. The chat completions format numbers the tool calls. */
  readonly callCounts: ReadonlyMap<number, number>;
  readonly usage: JsonObject | undefined;
  /**
   * Citations by choice. The gateway does not collect citations if the provider uses the chat completions
   * format, because the provider's response already contains annotations.
   */
  readonly cited: ReadonlyMap<number, CitedText>;
}

/** Renders an event's text as a delta. */
type DeltaRenderer = (text: string) => JsonObject;
type RenderStep = readonly [StreamRenderState, readonly SseFrame[]];

export function beginStreamRender({
  id,
  model,
  createdAt,
  includesUsage,
}: StreamRenderOptions): StreamRenderState {
  return {
    envelope: { id, object: 'chat.completion.chunk', created: createdAt, model },
    isOwnFormat: false,
    includesUsage,
    begun: new Set(),
    blocks: new Map(),
    callCounts: new Map(),
    usage: undefined,
    cited: new Map(),
  };
}

/** Renders an event as at most one frame, or as at most two frames if the event ends the response. */
export function renderStreamEvent(before: StreamRenderState, event: StreamEvent): RenderStep {
  const state = before.isOwnFormat ? before : addCitation(before, event);
  switch (event.type) {
    case 'message-start':
      return [startMessage(state, event), []];
    case 'text-start':
    case 'thinking-start':
    case 'refusal-start':
      return [openBlock(state, event, chooseDeltaRenderer(event)), []];
    case 'tool-call-start':
      return startToolCall(state, event);
    case 'text-delta':
    case 'thinking-delta':
    case 'refusal-delta':
      return renderDelta(state, event.choice, findDeltaRenderer(state, event)(event.text));
    case 'tool-call-delta':
      return renderDelta(state, event.choice, findDeltaRenderer(state, event)(event.argumentsText));
    case 'part':
      return renderOwnPart(state, event);
    case 'extension':
      return renderExtension(state, event);
    case 'usage':
      return [{ ...state, usage: renderRawUsage(event.usage, readOwn(event)) }, []];
    case 'finish':
      return renderFinish(state, event);
    case 'error':
      return [state, [...renderUsageChunk(state), renderErrorChunk({ ...event, own: readOwn(event) })]];
    case 'message-end':
      return [state, [...renderUsageChunk(state), { data: '[DONE]' }]];
    // OpenAI's SDK keeps only the last annotation list, so annotations are sent with the finish reason.
    case 'citation':
      return [state, []];
    case 'text-end':
    case 'thinking-end':
    case 'refusal-end':
    case 'tool-call-end':
      return [closeBlock(state, event), []];
  }
}

type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>;
type BlockPlace = Pick<EventOf<'text-end'>, 'choice' | 'block'>;

function startMessage(state: StreamRenderState, event: EventOf<'message-start'>): StreamRenderState {
  const { id, model, createdAt, format } = event;
  const { envelope } = state;
  return {
    ...state,
    isOwnFormat: format === 'chat-completions',
    envelope: {
      ...envelope,
      id: id ?? envelope.id,
      created: createdAt ?? envelope.created,
      model: model ?? envelope.model,
    },
  };
}

function chooseDeltaRenderer(
  event: EventOf<'text-start' | 'thinking-start' | 'refusal-start'>,
): DeltaRenderer {
  if (event.type === 'refusal-start') return (text) => ({ refusal: text });
  const type = event.type === 'text-start' ? 'text' : 'thinking';
  const field = asText(readOwn(event).field) ?? (type === 'text' ? 'content' : 'reasoning_content');
  if (field !== 'content[]') return (text) => ({ [field]: text });
  return (text) => ({ content: [renderContentPart({ ...event, type }, text)] });
}

function startToolCall(state: StreamRenderState, event: EventOf<'tool-call-start'>): RenderStep {
  const index = state.callCounts.get(event.choice) ?? 0;
  const counted = { ...state, callCounts: new Map(state.callCounts).set(event.choice, index + 1) };
  const argumentsMember = event.kind === 'custom' ? 'input' : 'arguments';
  const opened = openBlock(counted, event, (text) => ({
    tool_calls: [{ index, [event.kind]: { [argumentsMember]: text } }],
  }));
  const call = { ...renderToolCall({ ...event, argumentsText: '' }), index };
  return renderDelta(opened, event.choice, { tool_calls: [call] });
}

/**
 * Opaque parts from another format are dropped, because chat completions clients cannot read them.
 */
function renderOwnPart(state: StreamRenderState, { choice, part }: EventOf<'part'>): RenderStep {
  const { part: raw } = readOwn(part);
  return raw === undefined ? [state, []] : renderDelta(state, choice, { content: [raw] });
}

function renderExtension(state: StreamRenderState, event: EventOf<'extension'>): RenderStep {
  const own = readOwn(event);
  if (Object.keys(own).length === 0) return [state, []];
  if (event.scope === 'answer') return [state, [frameOf({ ...state.envelope, choices: [], ...own })]];
  return event.scope === 'message'
    ? renderDelta(state, event.choice, own)
    : renderDelta(state, event.choice, {}, { finish_reason: null, ...own });
}

function addCitation(state: StreamRenderState, event: StreamEvent): StreamRenderState {
  if (!('choice' in event)) return state;
  const cited = state.cited.get(event.choice) ?? nothingCited;
  const next = noteCitation(cited, event);
  return next === cited ? state : { ...state, cited: new Map(state.cited).set(event.choice, next) };
}

function renderFinish(state: StreamRenderState, event: EventOf<'finish'>): RenderStep {
  const reason = state.isOwnFormat ? event.rawReason : mapToRawReason(event.reason);
  const annotations = renderAnnotations(state.cited.get(event.choice) ?? nothingCited);
  return renderDelta(state, event.choice, annotations, { finish_reason: reason });
}

/** Renders a chunk for one choice. As in OpenAI's streams, the first chunk contains the role. */
function renderDelta(
  state: StreamRenderState,
  choice: number,
  delta: JsonObject,
  members: JsonObject = { finish_reason: null },
): RenderStep {
  const isFirst = !state.begun.has(choice);
  const next = isFirst ? { ...state, begun: new Set(state.begun).add(choice) } : state;
  const whole = isFirst ? { role: 'assistant', ...delta } : delta;
  return [next, [frameOf({ ...state.envelope, choices: [{ index: choice, delta: whole, ...members }] })]];
}

function renderRawUsage(usage: TokenUsage, own: JsonObject): JsonObject {
  return Object.keys(own).length === 0 ? renderUsage(usage) : own;
}

function renderUsageChunk({ envelope, includesUsage, usage }: StreamRenderState): SseFrame[] {
  return includesUsage && usage !== undefined ? [frameOf({ ...envelope, choices: [], usage })] : [];
}

function openBlock(state: StreamRenderState, place: BlockPlace, renderer: DeltaRenderer): StreamRenderState {
  return { ...state, blocks: new Map(state.blocks).set(keyOf(place), renderer) };
}

function closeBlock(state: StreamRenderState, place: BlockPlace): StreamRenderState {
  const blocks = new Map(state.blocks);
  blocks.delete(keyOf(place));
  return { ...state, blocks };
}

/** A delta for a block that never started is rendered as content. */
function findDeltaRenderer(state: StreamRenderState, place: BlockPlace): DeltaRenderer {
  return state.blocks.get(keyOf(place)) ?? ((text) => ({ content: text }));
}

function keyOf({ choice, block }: BlockPlace): string {
  return `${choice}/${block}`;
}
