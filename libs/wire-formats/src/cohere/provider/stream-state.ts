import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { chainSteps, type Step } from '../../common/stream-step.ts';
import { own } from '../shared/own-members.ts';

/** The parser's immutable state between two events of a response. */
export interface StreamState {
  readonly started: boolean;
  readonly ended: boolean;
  readonly failed: boolean;
  readonly nextBlock: number;
  readonly open: OpenText | undefined;
  /** Open tool calls, by Cohere's index. */
  readonly calls: ReadonlyMap<number, OpenCall>;
}

interface OpenCall {
  readonly block: number;
  readonly hasArguments: boolean;
}

/**
 * The open text block. `member` is the field that contains the text, because a plan and other reasoning are
 * separate blocks.
 */
interface OpenText {
  readonly kind: 'text' | 'thinking';
  readonly member: 'content' | 'tool_plan';
  readonly block: number;
}

export const initialStreamState: StreamState = {
  started: false,
  ended: false,
  failed: false,
  nextBlock: 0,
  open: undefined,
  calls: new Map(),
};

export type StreamStep = Step<StreamState>;

/** Reads one type of event. `message` is the message inside the event. */
export type ReadEvent = (state: StreamState, event: JsonObject, message: JsonObject) => StreamStep;

const choice = 0;

export function endText(state: StreamState): StreamStep {
  if (state.open === undefined) return [state, []];
  const { kind, block } = state.open;
  return [{ ...state, open: undefined }, [{ type: `${kind}-end`, choice, block }]];
}

export function endCalls(state: StreamState): StreamStep {
  return [{ ...state, calls: new Map() }, [...state.calls.values()].flatMap(emitCallEnd)];
}

/**
 * Ends a tool call. For a tool call without arguments, an empty object is emitted, because clients parse
 * arguments as JSON.
 */
export function emitCallEnd({ block, hasArguments }: OpenCall): StreamEvent[] {
  const end: StreamEvent = { type: 'tool-call-end', choice, block };
  return hasArguments ? [end] : [{ type: 'tool-call-delta', choice, block, argumentsText: '{}' }, end];
}

/**
 * Starts a block and ends the previous block. `members` contains fields that only Cohere's format defines.
 */
export function startText(
  state: StreamState,
  { kind, member }: Omit<OpenText, 'block'>,
  members: JsonObject = {},
): StreamStep {
  const [closed, ends] = endText(state);
  const block = closed.nextBlock;
  const spelling = member === 'tool_plan' ? { spelling: { field: member } } : {};
  const start: StreamEvent = {
    type: `${kind}-start`,
    choice,
    block,
    ...own.with({ ...members, ...spelling }),
  };
  return [{ ...closed, nextBlock: block + 1, open: { kind, member, block } }, [...ends, start]];
}

/**
 * Appends text to the open block, or starts a new block if the open block is of a different kind. For empty
 * text, no event is emitted.
 */
export function addText(state: StreamState, into: Omit<OpenText, 'block'>, text: string): StreamStep {
  if (text === '') return [state, []];
  const isOpen = state.open?.kind === into.kind && state.open.member === into.member;
  return chainSteps(state, [
    (current) => (isOpen ? [current, []] : startText(current, into)),
    (current) => [current, [{ type: `${into.kind}-delta`, choice, block: current.open?.block ?? 0, text }]],
  ]);
}

export function emitExtensions(
  state: StreamState,
  scope: 'answer' | 'choice' | 'message',
  members: JsonObject,
): StreamStep {
  return [state, [{ type: 'extension', scope, choice, extensions: own.of(members) }]];
}
