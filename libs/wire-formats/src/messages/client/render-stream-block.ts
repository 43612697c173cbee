import type { JsonObject } from '@gateway/interchange';
import { isEmpty, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own } from '../own.ts';
import { renderToolUseHead } from '../tool-use.ts';
import { renderAnswerBlock } from './render-answer-block.ts';
import { frameOf } from './render-stream-error.ts';
import type { EventOf, RenderStep, ShownBlock, StreamRenderState } from './stream-render-state.ts';

/** The block of a start, before anything is in it. */
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

/** Takes a block's place; ends the one before it. */
export function placeBlock(state: StreamRenderState, block: number, head: JsonObject): RenderStep {
  const [closed, ends] = closeBlock(state, state.open);
  const blocks = new Map(closed.blocks).set(block, { index: undefined, head });
  return [{ ...closed, blocks, open: block }, ends];
}

/** Tells a block's start, if it is not out yet. */
export function showBlock(state: StreamRenderState, block: number): RenderStep {
  const shown = state.blocks.get(block);
  if (shown === undefined || shown.index !== undefined) return [state, []];
  const index = state.nextIndex;
  const next = keepBlock({ ...state, nextIndex: index + 1 }, block, { ...shown, index });
  return [next, [frameOf({ type: 'content_block_start', index, content_block: shown.head })]];
}

/** A piece of a block. Of one that never started: nothing. */
export function renderDelta(state: StreamRenderState, block: number, delta: JsonObject): RenderStep {
  const [next, start] = showBlock(state, block);
  const index = next.blocks.get(block)?.index;
  if (index === undefined) return [state, []];
  return [next, [...start, frameOf({ type: 'content_block_delta', index, delta })]];
}

/** Ends a block, and forgets it: an answer may have any number. One that was ended already, since another started, stays so. */
export function closeBlock(state: StreamRenderState, block: number | undefined): RenderStep {
  if (block === undefined || state.open !== block) return [state, []];
  const [next, start] = showBlock(state, block);
  const index = next.blocks.get(block)?.index;
  if (index === undefined) return [state, []];
  const blocks = new Map(next.blocks);
  blocks.delete(block);
  return [{ ...next, blocks, open: undefined }, [...start, frameOf({ type: 'content_block_stop', index })]];
}

/** Thinking that is shown to nobody is told by its end; until then its start is not out. */
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

/** A part that arrives whole, as a block that starts, and ends at once. Its input, if it has one, stands between. */
export function renderWholePart(state: StreamRenderState, { block, part }: EventOf<'part'>): RenderStep {
  const whole = renderAnswerBlock(part);
  if (whole === undefined) return [state, []];
  const { input } = whole;
  const hasInput = isObject(input) && !isEmpty(input);
  const [placed, before] = placeBlock(state, block, hasInput ? { ...whole, input: {} } : whole);
  const [told, frames] = hasInput
    ? renderDelta(placed, block, { type: 'input_json_delta', partial_json: JSON.stringify(input) })
    : showBlock(placed, block);
  const [closed, ends] = closeBlock(told, block);
  return [closed, [...before, ...frames, ...ends]];
}

function keepBlock(state: StreamRenderState, block: number, shown: ShownBlock): StreamRenderState {
  return { ...state, blocks: new Map(state.blocks).set(block, shown) };
}
