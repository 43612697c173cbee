import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { StreamRenderOptions } from '../../common/format.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { isEmpty, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own } from '../shared/own-members.ts';
import { renderToolUseHead } from '../shared/tools.ts';
import { renderAnswerBlock, renderId } from './render-response.ts';
import { frameOf } from './render-error.ts';

/** The stream renderer's immutable state between two events. */
export interface StreamRenderState {
  readonly id: string;
  readonly model: string;
  readonly isOwnFormat: boolean;
  readonly estimateInputTokens: () => number;
  /**
   * Whether `message_start` has been sent. The renderer delays `message_start` until usage arrives. Most
   * providers send usage at the start or at the end.
   */
  readonly started: boolean;
  /** Whether an error was sent. An error ends the stream, even if the provider sends further events. */
  readonly hasFailed: boolean;
  readonly usage: JsonObject;
  /** Whether usage arrived after `message_start` was sent. */
  readonly hasLateUsage: boolean;
  /** Message fields that arrived before `message_start` was sent. */
  readonly startMembers: JsonObject;
  /** Blocks, by the block number in the interchange. */
  readonly blocks: ReadonlyMap<number, StreamBlock>;
  /** The open block's number in the interchange. The messages format ends each block before the next block starts. */
  readonly open: number | undefined;
  readonly nextIndex: number;
  readonly reason: string | null;
  /** Fields for the object `delta` in the event `message_delta`. */
  readonly endMembers: JsonObject;
  /** Fields next to the object `delta` in the event `message_delta`. */
  readonly outerEndMembers: JsonObject;
}

interface StreamBlock {
  /** The block's index in the stream. The index is undefined until the start of the block is sent. */
  readonly index: number | undefined;
  /** The block object for the event `content_block_start`. */
  readonly head: JsonObject;
}

/** The renderer's state after an event, and the frames rendered for the event. */
export type RenderStep = readonly [StreamRenderState, readonly SseFrame[]];
export type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>;

export function beginStreamRender({
  id,
  model,
  estimateInputTokens = () => 0,
}: StreamRenderOptions): StreamRenderState {
  return {
    id: renderId(id, false),
    model,
    estimateInputTokens,
    isOwnFormat: false,
    started: false,
    hasFailed: false,
    usage: {},
    hasLateUsage: false,
    startMembers: {},
    blocks: new Map(),
    open: undefined,
    nextIndex: 0,
    reason: null,
    endMembers: {},
    outerEndMembers: {},
  };
}

/** Renders the empty block for a start event. */
export function headOf(
  event: EventOf<'text-start' | 'thinking-start' | 'refusal-start' | 'tool-call-start'>,
): JsonObject {
  switch (event.type) {
    case 'text-start':
      return { ...own.read(event), type: 'text', text: '' };
    case 'refusal-start':
      return { type: 'text', text: '' };
    case 'thinking-start':
      return { ...own.read(event), type: 'thinking', thinking: '', signature: '' };
    case 'tool-call-start':
      return { ...renderToolUseHead(event), input: {}, ...optional('signature', event.signature) };
  }
}

/** Opens a block without sending its start event, and ends the previous block. */
export function placeBlock(state: StreamRenderState, block: number, head: JsonObject): RenderStep {
  const [closed, ends] = closeBlock(state, state.open);
  const blocks = new Map(closed.blocks).set(block, { index: undefined, head });
  return [{ ...closed, blocks, open: block }, ends];
}

/** Sends the block's start event if it has not been sent yet. */
export function showBlock(state: StreamRenderState, block: number): RenderStep {
  const shown = state.blocks.get(block);
  if (shown === undefined || shown.index !== undefined) return [state, []];
  const index = state.nextIndex;
  const next = keepBlock({ ...state, nextIndex: index + 1 }, block, { ...shown, index });
  return [next, [frameOf({ type: 'content_block_start', index, content_block: shown.head })]];
}

/** Renders a delta. A delta for a block that never started is not rendered. */
export function renderDelta(state: StreamRenderState, block: number, delta: JsonObject): RenderStep {
  const [next, start] = showBlock(state, block);
  const index = next.blocks.get(block)?.index;
  if (index === undefined) return [state, []];
  return [next, [...start, frameOf({ type: 'content_block_delta', index, delta })]];
}

/**
 * Ends a block and removes the block from the state, because a response may have any number of blocks. A
 * block that has already ended is not changed.
 */
export function closeBlock(state: StreamRenderState, block: number | undefined): RenderStep {
  if (block === undefined || state.open !== block) return [state, []];
  const [next, start] = showBlock(state, block);
  const index = next.blocks.get(block)?.index;
  if (index === undefined) return [state, []];
  const blocks = new Map(next.blocks);
  blocks.delete(block);
  return [{ ...next, blocks, open: undefined }, [...start, frameOf({ type: 'content_block_stop', index })]];
}

/**
 * Ends a thinking block. Redacted data arrives only at the end of a block, so the start and end of a redacted
 * block are sent together.
 */
export function endThinking(state: StreamRenderState, event: EventOf<'thinking-end'>): RenderStep {
  const { block, signature, redacted } = event;
  const shown = state.blocks.get(block);
  if (redacted !== undefined && shown !== undefined && shown.index === undefined) {
    const rest = otherMembers(shown.head, ['thinking', 'signature']);
    const head = { ...rest, type: 'redacted_thinking', data: redacted };
    return closeBlock(keepBlock(state, block, { ...shown, head }), block);
  }
  const [signed, frames] =
    signature === undefined
      ? ([state, []] as const)
      : renderDelta(state, block, { type: 'signature_delta', signature });
  const [closed, ends] = closeBlock(signed, block);
  return [closed, [...frames, ...ends]];
}

/**
 * Renders a complete part as a block that starts and ends immediately. The input of a tool call is sent as a
 * delta between the start and the end.
 */
export function renderWholePart(state: StreamRenderState, { block, part }: EventOf<'part'>): RenderStep {
  const whole = renderAnswerBlock(part);
  if (whole === undefined) return [state, []];
  const { input } = whole;
  const hasInput = isObject(input) && !isEmpty(input);
  const [placed, before] = placeBlock(state, block, hasInput ? { ...whole, input: {} } : whole);
  const [filled, frames] = hasInput
    ? renderDelta(placed, block, { type: 'input_json_delta', partial_json: JSON.stringify(input) })
    : showBlock(placed, block);
  const [closed, ends] = closeBlock(filled, block);
  return [closed, [...before, ...frames, ...ends]];
}

function keepBlock(state: StreamRenderState, block: number, shown: StreamBlock): StreamRenderState {
  return { ...state, blocks: new Map(state.blocks).set(block, shown) };
}
