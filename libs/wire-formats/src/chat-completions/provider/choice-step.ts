import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { ChoiceState, OpenBlock } from './stream-state.ts';

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
