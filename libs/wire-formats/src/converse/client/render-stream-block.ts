import type { ChatPart, JsonObject, StreamEvent } from '@gateway/interchange';
import { asObject } from '../../json/read-members.ts';
import { addWaitingCharacters } from '../../common/waiting-characters.ts';
import { createAnswerContext, renderCallHead, renderContent } from '../shared/render-block.ts';
import { renderCitation, renderRedacted } from '../shared/block-values.ts';
import { own } from '../shared/own-members.ts';
import { eventFrame, type StreamFrame } from './stream-frames.ts';

export type BlockEvent = Exclude<
  Extract<StreamEvent, { block: number }>,
  { type: 'usage' | 'finish' | 'extension' | 'error' }
>;

/**
 * The block that is being sent, and the buffered events of later blocks. In the Converse format, blocks are
 * strictly sequential. In streams of other formats, tool calls can overlap.
 */
export interface BlockQueue {
  readonly nextIndex: number;
  readonly current: CurrentBlock | undefined;
  /** Buffered events of each block, latest event first. Blocks are in the order of their start events. */
  readonly waiting: ReadonlyMap<number, Waiting>;
  /**
   * Buffered events of all blocks, latest event first. When the next block starts, the events are grouped by
   * block in `waiting`.
   */
  readonly late: Waiting | undefined;
  /** Number of buffered characters, which is reset to zero when the buffer is empty. */
  readonly waitingCharacters: number;
}

interface CurrentBlock {
  readonly block: number;
  readonly index: number;
  readonly kind: 'text' | 'thinking' | 'tool-call';
  readonly isEmpty: boolean;
  /**
   * True if the block is hidden reasoning, which is not text. Such hidden reasoning remains
   * base64-encoded.
   */
  readonly isBase64?: boolean;
}

interface Waiting {
  readonly event: BlockEvent;
  readonly before: Waiting | undefined;
}

type QueueStep = readonly [BlockQueue, readonly StreamFrame[]];

export const emptyQueue: BlockQueue = {
  nextIndex: 0,
  current: undefined,
  waiting: new Map(),
  late: undefined,
  waitingCharacters: 0,
};

/** @throws GatewayError `upstream_invalid` when the buffered events exceed the limit. */
export function renderBlockEvent(queue: BlockQueue, event: BlockEvent): QueueStep {
  if (queue.current !== undefined && queue.current.block !== event.block) return [wait(queue, event), []];
  const [next, frames] = renderNow(queue, event);
  const isAlone = next.waiting.size === 0 && next.late === undefined;
  if (next.current !== undefined || isAlone) return [next, frames];
  const [drained, more] = renderWaiting(next);
  return [drained, [...frames, ...more]];
}

/** Renders all buffered blocks when the response stops. Ends the blocks that are still open. */
export function renderQueued(queue: BlockQueue): QueueStep {
  let current = queue;
  const frames: StreamFrame[] = [];
  while (current.current !== undefined) {
    const [next, sent] = renderBlockEvent(current, {
      type: 'text-end',
      choice: 0,
      block: current.current.block,
    });
    current = next;
    for (const frame of sent) frames.push(frame);
  }
  return [current, frames];
}

function wait(queue: BlockQueue, event: BlockEvent): BlockQueue {
  const waitingCharacters = addWaitingCharacters(queue.waitingCharacters, event);
  return { ...queue, waitingCharacters, late: { event, before: queue.late } };
}

/** Renders the buffered blocks, up to the first block that has not ended. */
function renderWaiting(queue: BlockQueue): QueueStep {
  const waiting = new Map(queue.waiting);
  for (const event of eventsOf(queue.late)) {
    waiting.set(event.block, { event, before: waiting.get(event.block) });
  }
  const frames: StreamFrame[] = [];
  let current = queue;
  for (const [block, entry] of waiting) {
    waiting.delete(block);
    for (const event of eventsOf(entry)) {
      const [next, sent] = renderNow(current, event);
      current = next;
      for (const frame of sent) frames.push(frame);
    }
    if (current.current !== undefined) break;
  }
  const waitingCharacters = waiting.size === 0 ? 0 : queue.waitingCharacters;
  return [{ ...current, waiting, late: undefined, waitingCharacters }, frames];
}

function eventsOf(entry: Waiting | undefined): BlockEvent[] {
  const events: BlockEvent[] = [];
  for (let at = entry; at !== undefined; at = at.before) events.push(at.event);
  return events.reverse();
}

function renderNow(queue: BlockQueue, event: BlockEvent): QueueStep {
  switch (event.type) {
    case 'text-start':
    case 'refusal-start':
      return startBlock(queue, event.block, 'text');
    case 'thinking-start':
      return startThinking(queue, event);
    case 'tool-call-start':
      return startBlock(queue, event.block, 'tool-call', { toolUse: renderCallHead(event) });
    case 'text-delta':
    case 'refusal-delta':
      return renderDelta(queue, { text: event.text });
    case 'thinking-delta':
      return renderDelta(queue, { reasoningContent: { text: event.text } });
    case 'tool-call-delta':
      return renderDelta(queue, { toolUse: { input: event.argumentsText } });
    case 'citation':
      return renderDelta(queue, { citation: renderCitation(event.citation) });
    case 'thinking-end':
      return endThinking(queue, event);
    case 'text-end':
    case 'refusal-end':
    case 'tool-call-end':
      return endBlock(queue);
    case 'part':
      return renderPart(queue, event.part);
  }
}

/** Starts a block. Text and reasoning blocks have no start frame, so their first delta starts the block. */
function startBlock(
  queue: BlockQueue,
  block: number,
  kind: CurrentBlock['kind'],
  start?: JsonObject,
): QueueStep {
  const index = queue.nextIndex;
  const current = { block, index, kind, isEmpty: true };
  const frames =
    start === undefined ? [] : [eventFrame('contentBlockStart', { start, contentBlockIndex: index })];
  return [{ ...queue, nextIndex: index + 1, current }, frames];
}

function startThinking(queue: BlockQueue, event: Extract<BlockEvent, { type: 'thinking-start' }>): QueueStep {
  const [{ current, ...rest }, frames] = startBlock(queue, event.block, 'thinking');
  const isBase64 = own.read(event).spelling === 'base64';
  return [{ ...rest, current: current && { ...current, isBase64 } }, frames];
}

function renderDelta(queue: BlockQueue, delta: JsonObject): QueueStep {
  const { current } = queue;
  if (current === undefined) return [queue, []];
  const frame = eventFrame('contentBlockDelta', { delta, contentBlockIndex: current.index });
  return [current.isEmpty ? { ...queue, current: { ...current, isEmpty: false } } : queue, [frame]];
}

function endThinking(queue: BlockQueue, event: Extract<BlockEvent, { type: 'thinking-end' }>): QueueStep {
  const { signature, redacted } = event;
  const [signed, signatures] =
    signature === undefined ? [queue, []] : renderDelta(queue, { reasoningContent: { signature } });
  const redactedContent = queue.current?.isBase64 === true ? redacted : redacted && renderRedacted(redacted);
  const [hidden, redactions] =
    redactedContent === undefined
      ? [signed, []]
      : renderDelta(signed, { reasoningContent: { redactedContent } });
  const [ended, frames] = endBlock(hidden);
  return [ended, [...signatures, ...redactions, ...frames]];
}

/**
 * Ends a block. A text or reasoning block without deltas gets an empty delta, because text and reasoning
 * blocks have no start frame.
 */
function endBlock(queue: BlockQueue): QueueStep {
  const { current } = queue;
  if (current === undefined) return [queue, []];
  const empty = current.kind === 'text' ? { text: '' } : { reasoningContent: { text: '' } };
  const [, deltas] =
    current.isEmpty && current.kind !== 'tool-call' ? renderDelta(queue, empty) : [queue, []];
  const stop = eventFrame('contentBlockStop', { contentBlockIndex: current.index });
  return [{ ...queue, current: undefined }, [...deltas, stop]];
}

/**
 * Renders a complete part as a start, a delta and a stop event. A part that streams cannot express is not rendered.
 */
function renderPart(queue: BlockQueue, part: ChatPart): QueueStep {
  const block =
    part.type === 'opaque' ? asObject(own.read(part).part) : renderContent([part], createAnswerContext())[0];
  const split = block === undefined ? undefined : splitBlock(block);
  if (split === undefined) return [queue, []];
  const contentBlockIndex = queue.nextIndex;
  return [
    { ...queue, nextIndex: contentBlockIndex + 1 },
    [
      eventFrame('contentBlockStart', { start: split.start, contentBlockIndex }),
      eventFrame('contentBlockDelta', { delta: split.delta, contentBlockIndex }),
      eventFrame('contentBlockStop', { contentBlockIndex }),
    ],
  ];
}

function splitBlock(block: JsonObject): { start: JsonObject; delta: JsonObject } | undefined {
  const call = asObject(block.toolUse);
  if (call !== undefined) {
    const { input, ...toolUse } = call;
    return { start: { toolUse }, delta: { toolUse: { input: JSON.stringify(input ?? {}) } } };
  }
  const result = asObject(block.toolResult);
  if (result !== undefined) {
    const { content, ...toolResult } = result;
    return { start: { toolResult }, delta: { toolResult: content } };
  }
  const image = asObject(block.image);
  if (image === undefined) return undefined;
  const { format, ...rest } = image;
  return { start: { image: { format } }, delta: { image: rest } };
}
