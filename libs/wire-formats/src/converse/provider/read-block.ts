import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { chainSteps } from '../../common/stream-step.ts';
import { asNumber, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseCitation } from '../shared/block-values.ts';
import { own } from '../shared/own-members.ts';
import {
  endOpenBlock,
  bufferPiece,
  type OpenBlock,
  type StreamState,
  type StreamStep,
} from './stream-state.ts';

type ReadStep = (state: StreamState) => StreamStep;
/** A block that the parser is about to open, still without `index` and `block`. */
type Opening = OpenBlock extends infer Block
  ? Block extends OpenBlock
    ? Omit<Block, 'index' | 'block'>
    : never
  : never;

const nothing: ReadStep = (state) => [state, []];

export function readBlockStart(state: StreamState, payload: JsonObject): StreamStep {
  const index = asNumber(payload.contentBlockIndex) ?? 0;
  const [member, body] = Object.entries(asObject(payload.start) ?? {})[0] ?? [];
  // Some third-party gateways send an empty start frame before text.
  if (member === undefined || !isObject(body)) return nothing(state);
  if (member === 'toolUse' && body.type !== 'server_tool_use') return openToolCall(state, index, body);
  return open(state, index, { kind: 'buffered', member, start: body, pieces: undefined }, []);
}

export function readBlockDelta(state: StreamState, payload: JsonObject): StreamStep {
  const index = asNumber(payload.contentBlockIndex) ?? 0;
  const delta = asObject(payload.delta) ?? {};
  return chainSteps(
    state,
    Object.entries(delta).map(
      ([member, value]): ReadStep =>
        (current) =>
          deltas.get(member)?.(current, index, value) ?? nothing(current),
    ),
  );
}

/** The handler for each delta field. */
const deltas: ReadonlyMap<string, (state: StreamState, index: number, value: unknown) => StreamStep> =
  new Map([
    ['text', readText],
    ['reasoningContent', readReasoning],
    ['toolUse', readInput],
    ['toolResult', (state, index, value) => buffer(state, index, 'toolResult', value)],
    ['image', (state, index, value) => buffer(state, index, 'image', value)],
    ['citation', readCitation],
  ]);

function readText(state: StreamState, index: number, value: unknown): StreamStep {
  return addText(state, index, 'text', asText(value) ?? '');
}

export function readBlockStop(state: StreamState, payload: JsonObject): StreamStep {
  return state.open?.index === (asNumber(payload.contentBlockIndex) ?? 0)
    ? endOpenBlock(state)
    : nothing(state);
}

/** Opens a block and ends the previous block, because some third-party gateways omit the stop frame. */
function open(
  state: StreamState,
  index: number,
  opening: Opening,
  start: readonly StreamEvent[],
): StreamStep {
  const [closed, ends] = endOpenBlock(state);
  const block = closed.nextBlock;
  return [{ ...closed, nextBlock: block + 1, open: { ...opening, index, block } }, [...ends, ...start]];
}

function openToolCall(state: StreamState, index: number, body: JsonObject): StreamStep {
  const { type, ...rest } = otherMembers(body, ['toolUseId', 'name']);
  const start: StreamEvent = {
    type: 'tool-call-start',
    choice: 0,
    block: state.nextBlock,
    id: asText(body.toolUseId) ?? '',
    name: asText(body.name) ?? '',
    kind: 'function',
    ...own.with({ ...rest, ...optional('spelling', asText(type)) }),
  };
  return open(state, index, { kind: 'tool-call', hasInput: false }, [start]);
}

/** Opens a text or reasoning block, unless a block of the same kind is already open. */
function ensure(state: StreamState, index: number, kind: 'text' | 'thinking'): StreamStep {
  if (state.open?.index === index && state.open.kind === kind) return [state, []];
  const place = { choice: 0, block: state.nextBlock };
  if (kind === 'text') return open(state, index, { kind }, [{ type: 'text-start', ...place }]);
  const start: StreamEvent = {
    type: 'thinking-start',
    ...place,
    extensions: own.of({ spelling: 'reasoning' }),
  };
  return open(state, index, { kind, signature: undefined }, [start]);
}

function addText(state: StreamState, index: number, kind: 'text' | 'thinking', text: string): StreamStep {
  const [opened, starts] = ensure(state, index, kind);
  if (text === '' || opened.open === undefined) return [opened, starts];
  return [opened, [...starts, { type: `${kind}-delta`, choice: 0, block: opened.open.block, text }]];
}

function readReasoning(state: StreamState, index: number, value: unknown): StreamStep {
  const delta = asObject(value) ?? {};
  if (delta.redactedContent !== undefined)
    return buffer(state, index, 'reasoningContent', delta.redactedContent);
  const text = asText(delta.text);
  const signature = asText(delta.signature);
  return chainSteps(state, [
    text === undefined ? nothing : (current) => addText(current, index, 'thinking', text),
    signature === undefined ? nothing : (current) => sign(current, index, signature),
  ]);
}

function sign(state: StreamState, index: number, signature: string): StreamStep {
  const [opened, starts] = ensure(state, index, 'thinking');
  if (opened.open?.kind !== 'thinking') return [opened, starts];
  const whole = (opened.open.signature ?? '') + signature;
  return [{ ...opened, open: { ...opened.open, signature: whole } }, starts];
}

function readInput(state: StreamState, index: number, value: unknown): StreamStep {
  const input = asText(asObject(value)?.input) ?? '';
  const { open: block } = state;
  if (block?.index !== index || input === '') return nothing(state);
  if (block.kind === 'buffered') return [bufferPiece(state, block, input), []];
  if (block.kind !== 'tool-call') return nothing(state);
  const delta: StreamEvent = { type: 'tool-call-delta', choice: 0, block: block.block, argumentsText: input };
  return [block.hasInput ? state : { ...state, open: { ...block, hasInput: true } }, [delta]];
}

/** Buffers a delta for a block that is emitted only when the block is complete. */
function buffer(state: StreamState, index: number, member: string, piece: unknown): StreamStep {
  if (state.open?.index === index && state.open.kind === 'buffered' && state.open.member === member) {
    return [bufferPiece(state, state.open, piece), []];
  }
  const opening = { kind: 'buffered', member, start: {}, pieces: { piece, before: undefined } } as const;
  return open(state, index, opening, []);
}

function readCitation(state: StreamState, index: number, value: unknown): StreamStep {
  const [opened, starts] = ensure(state, index, 'text');
  if (!isObject(value) || opened.open === undefined) return [opened, starts];
  const citation = parseCitation(value);
  return [opened, [...starts, { type: 'citation', choice: 0, block: opened.open.block, citation }]];
}
