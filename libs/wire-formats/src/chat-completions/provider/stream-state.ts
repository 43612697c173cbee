import type { JsonObject, StreamEvent } from '@gateway/interchange';

/** What has to be remembered between the pieces of an answer. Never changed in place. */
export interface StreamState {
  readonly started: boolean;
  readonly ended: boolean;
  readonly choices: ReadonlyMap<number, ChoiceState>;
  /** Members of the answer as last told: most providers repeat them in every chunk. */
  readonly told: JsonObject;
}

export interface ChoiceState {
  readonly index: number;
  readonly nextBlock: number;
  readonly open: OpenBlock | undefined;
  readonly calls: readonly CallState[];
  readonly finished: boolean;
}

/** The block that text goes into now. */
interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'refusal';
  /** The member that it comes in. A provider that changes it starts a new block. */
  readonly field: string;
  readonly block: number;
}

export interface CallState {
  /** The provider's number for it. */
  readonly position: number;
  readonly id: string | undefined;
  readonly block: number;
}

export const initialStreamState: StreamState = {
  started: false,
  ended: false,
  choices: new Map(),
  told: {},
};

export function initialChoiceState(index: number): ChoiceState {
  return { index, nextBlock: 0, open: undefined, calls: [], finished: false };
}

/** A piece of a choice: its own members, and the members of its message. */
export interface ChoicePiece {
  readonly choice: JsonObject;
  readonly message: JsonObject;
  /** True when this is the whole message of a plain answer. */
  readonly whole: boolean;
}

/**
 * Reads one thing out of a piece: puts what it tells behind `told`, and gives the state after it. Runs for every chunk of
 * every stream: one list for all of them.
 */
export type ReadStep = (state: ChoiceState, piece: ChoicePiece, told: StreamEvent[]) => ChoiceState;

export function endOpenBlock(state: ChoiceState, told: StreamEvent[]): ChoiceState {
  if (state.open === undefined) return state;
  const { kind, block } = state.open;
  told.push({ type: `${kind}-end`, choice: state.index, block });
  return { ...state, open: undefined };
}

/** Text into the open block, if it is of that kind and field, else into a new one. Empty text starts none. */
export function addText(
  state: ChoiceState,
  into: Pick<OpenBlock, 'kind' | 'field'>,
  text: string,
  start: Pick<Extract<StreamEvent, { type: 'text-start' }>, 'extensions'>,
  told: StreamEvent[],
): ChoiceState {
  const { kind, field } = into;
  const choice = state.index;
  if (state.open?.kind === kind && state.open.field === field) {
    if (text !== '') told.push({ type: `${kind}-delta`, choice, block: state.open.block, text });
    return state;
  }
  endOpenBlock(state, told);
  const block = state.nextBlock;
  told.push({ type: `${kind}-start`, choice, block, ...start });
  if (text !== '') told.push({ type: `${kind}-delta`, choice, block, text });
  return { ...state, nextBlock: block + 1, open: { kind, field, block } };
}
