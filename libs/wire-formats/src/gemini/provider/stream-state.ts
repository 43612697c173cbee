import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { chainSteps, type Step } from '../../common/stream-step.ts';
import type { OpenArguments } from './partial-args.ts';

/**
 * The parser's state between two chunks of a response. Only the arguments of an open tool call are mutable.
 */
export interface StreamState {
  readonly started: boolean;
  readonly failed: boolean;
  /** The provider's response id. Generated call ids are derived from the response id. */
  readonly answerId: string;
  readonly candidates: ReadonlyMap<number, CandidateState>;
  /** Response fields from previous chunks. Each chunk repeats all response fields. */
  readonly members: JsonObject;
  /** The provider's usage fields received so far, in camel case. */
  readonly usage: JsonObject;
}

export interface CandidateState {
  readonly index: number;
  readonly answerId: string;
  readonly nextBlock: number;
  readonly open: OpenText | undefined;
  readonly openCall: OpenCall | undefined;
  readonly callCount: number;
  /** The URLs of fetched web pages that have not been cited so far. */
  readonly pages: readonly string[];
  readonly finished: boolean;
}

/** The open text block. */
interface OpenText {
  readonly kind: 'text' | 'thinking';
  readonly block: number;
  /** True if the text is a separate part to which no text may be appended. */
  readonly isSealed?: true;
}

/** A tool call with incomplete arguments. */
interface OpenCall {
  readonly block: number;
  readonly args: OpenArguments;
}

export const initialStreamState: StreamState = {
  started: false,
  failed: false,
  answerId: '',
  candidates: new Map(),
  members: {},
  usage: {},
};

export function initialCandidateState(index: number, answerId: string): CandidateState {
  return {
    index,
    answerId,
    nextBlock: 0,
    open: undefined,
    openCall: undefined,
    callCount: 0,
    pages: [],
    finished: false,
  };
}

export type CandidateStep = Step<CandidateState>;

/** Ends the open text block and the open tool call. */
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

/** Appends text to the open block, or starts a new block if the open block is of a different kind. */
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

/** Marks the text of the open block as complete. Citations can still follow, but no text is appended to the block. */
export function sealText(state: CandidateState): CandidateStep {
  return [state.open === undefined ? state : { ...state, open: { ...state.open, isSealed: true } }, []];
}

/** Emits the events for a message part that was received as a whole. */
export function addPart(
  state: CandidateState,
  part: Extract<StreamEvent, { type: 'part' }>['part'],
): CandidateStep {
  const [closed, ends] = endOpen(state);
  const block = closed.nextBlock;
  return [{ ...closed, nextBlock: block + 1 }, [...ends, { type: 'part', choice: state.index, block, part }]];
}

/**
 * Emits a part that contains no text. The open text block stays open, because citations can follow. No more
 * text is appended to the open block, so that the parts stay in order.
 */
export function addAside(
  state: CandidateState,
  part: Extract<StreamEvent, { type: 'part' }>['part'],
): CandidateStep {
  if (state.open?.kind !== 'text' || state.openCall !== undefined) return addPart(state, part);
  const [sealed] = sealText(state);
  const block = sealed.nextBlock;
  return [{ ...sealed, nextBlock: block + 1 }, [{ type: 'part', choice: state.index, block, part }]];
}

export function emitExtensions(state: CandidateState, extensions: JsonObject): CandidateStep {
  return [
    state,
    [{ type: 'extension', scope: 'choice', choice: state.index, extensions: { gemini: extensions } }],
  ];
}
