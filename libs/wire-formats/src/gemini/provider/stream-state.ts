import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { OpenArguments } from './partial-args.ts';

/** What has to be remembered between the chunks of an answer. Never changed in place, but for an open call's arguments. */
export interface StreamState {
  readonly started: boolean;
  readonly failed: boolean;
  /** The provider's id of the answer: ids of calls are made from it. */
  readonly answerId: string;
  readonly candidates: ReadonlyMap<number, CandidateState>;
  /** Members of the answer as last told: each chunk repeats them. */
  readonly told: JsonObject;
}

export interface CandidateState {
  readonly index: number;
  readonly answerId: string;
  readonly nextBlock: number;
  readonly open: OpenText | undefined;
  readonly openCall: OpenCall | undefined;
  readonly callCount: number;
  readonly finished: boolean;
}

/** The block that text goes into now. */
interface OpenText {
  readonly kind: 'text' | 'thinking';
  readonly block: number;
  /** Nothing may be added to its text: it came as a part of its own. */
  readonly isSealed?: true;
}

/** A call whose arguments are still coming. */
interface OpenCall {
  readonly block: number;
  readonly args: OpenArguments;
}

export const initialStreamState: StreamState = {
  started: false,
  failed: false,
  answerId: '',
  candidates: new Map(),
  told: {},
};

export function initialCandidateState(index: number, answerId: string): CandidateState {
  return {
    index,
    answerId,
    nextBlock: 0,
    open: undefined,
    openCall: undefined,
    callCount: 0,
    finished: false,
  };
}

/** What one thing in a chunk does: the candidate's state after it, and what it tells. */
export type CandidateStep = readonly [CandidateState, readonly StreamEvent[]];

/** Steps one after the other, each from where the last one left. */
export function chainSteps(
  state: CandidateState,
  steps: readonly ((state: CandidateState) => CandidateStep)[],
): CandidateStep {
  let current = state;
  const told: StreamEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(current);
    current = next;
    for (const event of events) told.push(event);
  }
  return [current, told];
}

/** Ends the text that is open, and the call whose arguments were still coming. */
export function endOpen(state: CandidateState): CandidateStep {
  return chainSteps(state, [endText, endCall]);
}

function endText(state: CandidateState): CandidateStep {
  if (state.open === undefined) return [state, []];
  const { kind, block } = state.open;
  return [{ ...state, open: undefined }, [{ type: `${kind}-end`, choice: state.index, block }]];
}

export function endCall(state: CandidateState): CandidateStep {
  if (state.openCall === undefined) return [state, []];
  const { block, args } = state.openCall;
  const place = { choice: state.index, block };
  return [
    { ...state, openCall: undefined },
    [
      { type: 'tool-call-delta', ...place, argumentsText: JSON.stringify(args) },
      { type: 'tool-call-end', ...place },
    ],
  ];
}

/** Text into the open block, if it is of that kind, else into a new one. */
export function addText(
  state: CandidateState,
  kind: OpenText['kind'],
  text: string,
  start: Pick<Extract<StreamEvent, { type: 'text-start' }>, 'extensions'> = {},
): CandidateStep {
  const choice = state.index;
  if (state.open?.kind === kind && state.open.isSealed !== true && state.openCall === undefined)
    return [state, [{ type: `${kind}-delta`, choice, block: state.open.block, text }]];
  const [closed, ends] = endOpen(state);
  const block = closed.nextBlock;
  const events: StreamEvent[] = [...ends, { type: `${kind}-start`, choice, block, ...start }];
  if (text !== '') events.push({ type: `${kind}-delta`, choice, block, text });
  return [{ ...closed, nextBlock: block + 1, open: { kind, block } }, events];
}

/** No more text goes into the open block; what it rests on may still be told. */
export function sealText(state: CandidateState): CandidateStep {
  return [state.open === undefined ? state : { ...state, open: { ...state.open, isSealed: true } }, []];
}

/** A part that arrives whole. */
export function addPart(
  state: CandidateState,
  part: Extract<StreamEvent, { type: 'part' }>['part'],
): CandidateStep {
  const [closed, ends] = endOpen(state);
  const block = closed.nextBlock;
  return [{ ...closed, nextBlock: block + 1 }, [...ends, { type: 'part', choice: state.index, block, part }]];
}

export function emitExtensions(state: CandidateState, extensions: JsonObject): CandidateStep {
  return [
    state,
    [{ type: 'extension', scope: 'choice', choice: state.index, extensions: { gemini: extensions } }],
  ];
}
