import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { StreamRenderOptions } from '../../common/format.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { isEmpty, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own } from '../shared/own-members.ts';
import { renderToolUseHead } from '../shared/tools.ts';
import { renderAnswerBlock } from './render-response.ts';
import { frameOf } from './render-error.ts';

/** What the events so far have said. Never changed in place. */
export interface StreamRenderState {
  readonly id: string;
  readonly model: string;
  readonly isOwnFormat: boolean;
  /** Whether `message_start` is out: it waits for the usage, which most providers tell with the start or at the end. */
  readonly started: boolean;
  readonly usage: JsonObject;
  /** Members of the message that came before it was told. */
  readonly startMembers: JsonObject;
  /** By the interchange's number. */
  readonly blocks: ReadonlyMap<number, ShownBlock>;
  /** The block that is being told: Anthropic ends one before it starts the next. */
  readonly open: number | undefined;
  readonly nextIndex: number;
  readonly reason: string | null;
  /** Members of the end of the message, in its `delta` and beside it. */
  readonly endMembers: JsonObject;
  readonly besideEnd: JsonObject;
}

interface ShownBlock {
  /** Anthropic's number. Undefined: its start is not out yet. */
  readonly index: number | undefined;
  /** The block as its start tells it. */
  readonly head: JsonObject;
}

/** The state after an event, and the frames that tell it. */
export type RenderStep = readonly [StreamRenderState, readonly SseFrame[]];
export type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>;

export function beginStreamRender({ id, model }: StreamRenderOptions): StreamRenderState {
  return {
    id,
    model,
    isOwnFormat: false,
    started: false,
    usage: {},
    startMembers: {},
    blocks: new Map(),
    open: undefined,
    nextIndex: 0,
    reason: null,
    endMembers: {},
    besideEnd: {},
  };
}

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
