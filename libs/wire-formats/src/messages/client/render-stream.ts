import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { isEmpty } from '../../json/read-members.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { renderCitation } from '../shared/citations.ts';
import { own } from '../shared/own-members.ts';
import { mapToRawReason } from '../shared/finish-reasons.ts';
import { renderUsage } from '../shared/token-usage.ts';
import {
  closeBlock,
  endThinking,
  headOf,
  placeBlock,
  renderDelta,
  renderWholePart,
  showBlock,
} from './stream-blocks.ts';
import { frameOf, renderErrorEvent } from './render-error.ts';
import { renderId } from './render-response.ts';
import type { EventOf, RenderStep, StreamRenderState } from './stream-blocks.ts';

/** Renders a stream event as frames. The messages format has only one choice, so other choices are skipped. */
export function renderStreamEvent(state: StreamRenderState, event: StreamEvent): RenderStep {
  if (state.hasFailed || ('choice' in event && event.choice > 0)) return [state, []];
  switch (event.type) {
    case 'message-start':
      return [startMessage(state, event), []];
    case 'usage':
      return sendMessageStart(addUsage(state, event));
    case 'extension':
      return [addExtension(state, event), []];
    case 'finish':
      return [{ ...state, reason: state.isOwnFormat ? event.rawReason : mapToRawReason(event.reason) }, []];
    case 'message-end':
      return endMessage(state);
    case 'error':
      return [{ ...state, hasFailed: true }, [...renderLateUsage(state), renderErrorEvent(event)]];
    default:
      return afterMessage(state, (begun) => renderBlockEvent(begun, event));
  }
}

type BlockEvent = Extract<StreamEvent, { readonly block: number }>;

function renderBlockEvent(state: StreamRenderState, event: BlockEvent): RenderStep {
  const { block } = event;
  switch (event.type) {
    case 'thinking-start':
      return placeBlock(state, block, headOf(event));
    case 'text-start':
    case 'refusal-start':
    case 'tool-call-start':
      return startBlock(state, event);
    case 'text-delta':
    case 'refusal-delta':
      return renderDelta(state, block, { type: 'text_delta', text: event.text });
    case 'thinking-delta':
      return renderDelta(state, block, { type: 'thinking_delta', thinking: event.text });
    case 'tool-call-delta':
      return renderDelta(state, block, { type: 'input_json_delta', partial_json: event.argumentsText });
    case 'citation':
      return renderCitationDelta(state, event);
    case 'part':
      return renderWholePart(state, event);
    case 'thinking-end':
      return endThinking(state, event);
    case 'text-end':
    case 'refusal-end':
    case 'tool-call-end':
      return closeBlock(state, block);
  }
}

function startBlock(
  state: StreamRenderState,
  event: EventOf<'text-start' | 'refusal-start' | 'tool-call-start'>,
): RenderStep {
  const [placed, before] = placeBlock(state, event.block, headOf(event));
  const [shown, start] = showBlock(placed, event.block);
  return [shown, [...before, ...start]];
}

function renderCitationDelta(state: StreamRenderState, event: EventOf<'citation'>): RenderStep {
  const citation = renderCitation(event.citation);
  if (citation === undefined) return [state, []];
  return renderDelta(state, event.block, { type: 'citations_delta', citation });
}

function startMessage(state: StreamRenderState, event: EventOf<'message-start'>): StreamRenderState {
  const { id, model, format } = event;
  const isOwnFormat = format === 'messages';
  return {
    ...state,
    id: id === undefined ? state.id : renderId(id, isOwnFormat),
    model: model ?? state.model,
    isOwnFormat,
  };
}

function addUsage(state: StreamRenderState, event: EventOf<'usage'>): StreamRenderState {
  const raw = own.read(event);
  const usage = isEmpty(raw) ? renderUsage(event.usage) : raw;
  return { ...state, usage, hasLateUsage: state.started };
}

function addExtension(state: StreamRenderState, event: EventOf<'extension'>): StreamRenderState {
  const members = own.read(event);
  if (event.scope === 'message' || isEmpty(members)) return state;
  if (event.scope === 'choice') return { ...state, endMembers: { ...state.endMembers, ...members } };
  return state.started
    ? { ...state, outerEndMembers: { ...state.outerEndMembers, ...members } }
    : { ...state, startMembers: { ...state.startMembers, ...members } };
}

/**
 * Sends `message_start` if the stream has not started yet. A ping event follows `message_start`, as in
 * Anthropic's streams.
 */
function sendMessageStart(state: StreamRenderState): RenderStep {
  if (state.started) return [state, []];
  const message = {
    id: state.id,
    type: 'message',
    role: 'assistant',
    model: state.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Some clients read input tokens only from `message_start`, but most providers send usage at the end.
    // `message_start` contains an estimate, and the later `message_delta` event contains the provider's count.
    usage: usageOf(state, state.estimateInputTokens),
    ...state.startMembers,
  };
  const frames: SseFrame[] = [frameOf({ type: 'message_start', message }), frameOf({ type: 'ping' })];
  return [{ ...state, started: true }, frames];
}

/** The provider's usage. Token counts that the provider has not sent are reported as 0, or as the given estimate. */
function usageOf({ usage }: StreamRenderState, estimateInput = () => 0): JsonObject {
  return isEmpty(usage) ? renderUsage({ inputTokens: estimateInput(), outputTokens: 0 }) : usage;
}

function afterMessage(state: StreamRenderState, step: (begun: StreamRenderState) => RenderStep): RenderStep {
  const [begun, start] = sendMessageStart(state);
  const [next, frames] = step(begun);
  return [next, [...start, ...frames]];
}

/** The usage that was received after `message_start`, for a response that ends with an error. */
function renderLateUsage(state: StreamRenderState): readonly SseFrame[] {
  if (!state.hasLateUsage) return [];
  const delta = { stop_reason: state.reason, stop_sequence: null };
  return [frameOf({ type: 'message_delta', delta, usage: usageOf(state) })];
}

/** Sends the finish reason last, because most providers send usage after the finish reason. */
function endMessage(state: StreamRenderState): RenderStep {
  return afterMessage(state, (begun) => {
    const [closed, ends] = closeBlock(begun, begun.open);
    const delta = { stop_reason: closed.reason, stop_sequence: null, ...closed.endMembers };
    return [
      closed,
      [
        ...ends,
        frameOf({ type: 'message_delta', delta, usage: usageOf(closed), ...closed.outerEndMembers }),
        frameOf({ type: 'message_stop' }),
      ],
    ];
  });
}
