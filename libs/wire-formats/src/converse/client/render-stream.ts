import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { own } from '../shared/own-members.ts';
import { eventFrame, type StreamFrame, renderProviderError } from './stream-frames.ts';
import { mapToStopReason, renderUsage } from '../shared/response-end.ts';
import {
  emptyQueue,
  renderBlockEvent,
  renderQueued,
  type BlockEvent,
  type BlockQueue,
} from './render-stream-block.ts';

/** The renderer's immutable state during a stream. */
export interface StreamRenderState {
  readonly isOwnFormat: boolean;
  readonly blocks: BlockQueue;
  readonly stopped: boolean;
  /**
   * The finish reason, kept until the response ends. A truncated response must not report a finish reason.
   */
  readonly stopReason: string | undefined;
  /** The fields of `messageStop` and `metadata` received so far. */
  readonly stop: JsonObject;
  readonly metadata: JsonObject;
}

export type RenderStep = readonly [StreamRenderState, readonly StreamFrame[]];

export const initialStreamRender: StreamRenderState = {
  isOwnFormat: false,
  blocks: emptyQueue,
  stopped: false,
  stopReason: undefined,
  stop: {},
  metadata: {},
};

/**
 * Renders a stream event as zero or more frames. The Converse format has only one choice, so events for other
 * choices are dropped.
 * @param latencyMs time in milliseconds since the start of the response
 */
export function renderStreamEvent(
  state: StreamRenderState,
  event: StreamEvent,
  latencyMs: number,
): RenderStep {
  if ('choice' in event && event.choice !== 0) return [state, []];
  switch (event.type) {
    case 'message-start':
      return [
        { ...state, isOwnFormat: event.format === 'converse' },
        [eventFrame('messageStart', { role: 'assistant' })],
      ];
    case 'extension':
      return [keepExtension(state, event), []];
    case 'usage': {
      const raw = own.read(event);
      const usage = Object.keys(raw).length === 0 ? renderUsage(event.usage) : raw;
      return [{ ...state, metadata: { ...state.metadata, usage } }, []];
    }
    case 'finish':
      return keepStop(state, state.isOwnFormat ? event.rawReason : mapToStopReason(event.reason));
    case 'error': {
      const usage = state.metadata.usage === undefined ? [] : renderMetadata(state, latencyMs);
      return [state, [...usage, renderProviderError(event)]];
    }
    case 'message-end':
      return renderEnd(state, latencyMs);
    default:
      return renderBlock(state, event);
  }
}

function renderBlock(state: StreamRenderState, event: BlockEvent): RenderStep {
  const [blocks, frames] = renderBlockEvent(state.blocks, event);
  return [{ ...state, blocks }, frames];
}

function keepExtension(
  state: StreamRenderState,
  event: Extract<StreamEvent, { type: 'extension' }>,
): StreamRenderState {
  if (event.scope !== 'answer') return state;
  const { additionalModelResponseFields: fields, ...rest } = own.read(event);
  return {
    ...state,
    stop: fields === undefined ? state.stop : { ...state.stop, additionalModelResponseFields: fields },
    metadata: { ...state.metadata, ...rest },
  };
}

function keepStop(state: StreamRenderState, stopReason: string): RenderStep {
  return [{ ...state, stopReason: state.stopReason ?? stopReason }, []];
}

function renderStop(state: StreamRenderState, stopReason: string): RenderStep {
  if (state.stopped) return [state, []];
  const [blocks, frames] = renderQueued(state.blocks);
  const stop = eventFrame('messageStop', { stopReason, ...state.stop });
  return [{ ...state, blocks, stopped: true }, [...frames, stop]];
}

/**
 * The AWS SDK's types require usage and metrics. The renderer writes 0 for counts that the provider does not
 * send.
 */
function renderEnd(state: StreamRenderState, latencyMs: number): RenderStep {
  const [stopped, frames] = renderStop(state, state.stopReason ?? mapToStopReason('other'));
  return [stopped, [...frames, ...renderMetadata(state, latencyMs)]];
}

/**
 * The AWS SDK's types require usage and metrics. The renderer uses 0 for values that the provider does not
 * send.
 */
function renderMetadata(state: StreamRenderState, latencyMs: number): readonly StreamFrame[] {
  const defaults = {
    usage: renderUsage({ inputTokens: 0, outputTokens: 0 }),
    metrics: { latencyMs: Math.round(latencyMs) },
  };
  const metadata = state.isOwnFormat ? state.metadata : { ...defaults, ...state.metadata };
  return Object.keys(metadata).length === 0 ? [] : [eventFrame('metadata', metadata)];
}
