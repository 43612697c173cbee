import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { ChoiceState, OpenBlock } from './stream-state.ts';

/** What one thing in a piece of a choice does: the state after it, and what it tells. */
export type ChoiceStep = readonly [ChoiceState, readonly StreamEvent[]];

/** A piece of a choice: its own members, and the members of its message. */
export interface ChoicePiece {
  readonly choice: JsonObject;
  readonly message: JsonObject;
  /** True when this is the whole message of a plain answer. */
  readonly whole: boolean;
}

/** Reads one thing out of a piece. */
export type ReadStep = (state: ChoiceState, piece: ChoicePiece) => ChoiceStep;

/** Steps one after the other, each from where the last one left. */
export function chainSteps(
  state: ChoiceState,
  steps: readonly ((state: ChoiceState) => ChoiceStep)[],
): ChoiceStep {
  let current = state;
  const told: StreamEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(current);
    current = next;
    for (const event of events) told.push(event);
  }
  return [current, told];
}

export function endOpenBlock(state: ChoiceState): ChoiceStep {
  if (state.open === undefined) return [state, []];
  const { kind, block } = state.open;
  return [{ ...state, open: undefined }, [{ type: `${kind}-end`, choice: state.index, block }]];
}

/** Text into the open block, if it is of that kind and field, else into a new one. Empty text starts none. */
export function addText(
  state: ChoiceState,
  into: Pick<OpenBlock, 'kind' | 'field'>,
  text: string,
  start: Pick<Extract<StreamEvent, { type: 'text-start' }>, 'extensions'>,
): ChoiceStep {
  const choice = state.index;
  if (state.open?.kind === into.kind && state.open.field === into.field) {
    return [
      state,
      text === '' ? [] : [{ type: `${into.kind}-delta`, choice, block: state.open.block, text }],
    ];
  }
  const [closed, ends] = endOpenBlock(state);
  const block = closed.nextBlock;
  const events: StreamEvent[] = [...ends, { type: `${into.kind}-start`, choice, block, ...start }];
  if (text !== '') events.push({ type: `${into.kind}-delta`, choice, block, text });
  return [{ ...closed, nextBlock: block + 1, open: { ...into, block } }, events];
}
