import type { JsonObject, StreamEvent } from '@gateway/interchange';

/** The parser's immutable state between two chunks of a response. */
export interface StreamState {
  readonly started: boolean;
  readonly ended: boolean;
  /** Whether the provider reported an error. After an error, only the provider's last event ends the response. */
  readonly failed: boolean;
  readonly choices: ReadonlyMap<number, ChoiceState>;
  /** The latest response fields. Most providers repeat all fields, and only changed fields become events. */
  readonly sentMembers: JsonObject;
}

export interface ChoiceState {
  readonly index: number;
  readonly nextBlock: number;
  readonly open: OpenBlock | undefined;
  readonly calls: readonly CallState[];
  readonly finished: boolean;
}

/** The block to which the parser adds text. */
interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'refusal';
  /** The field from which the text was read. Text from a different field starts a new block. */
  readonly field: string;
  readonly block: number;
}

export interface CallState {
  /** The provider's index for the tool call. */
  readonly position: number;
  readonly id: string | undefined;
  readonly block: number;
}

export const initialStreamState: StreamState = {
  started: false,
  ended: false,
  failed: false,
  choices: new Map(),
  sentMembers: {},
};

export function initialChoiceState(index: number): ChoiceState {
  return { index, nextBlock: 0, open: undefined, calls: [], finished: false };
}

/** The fields of a choice in one chunk, and the fields of the message inside the choice. */
export interface ChoicePiece {
  readonly choice: JsonObject;
  readonly message: JsonObject;
  /** True if `message` is the complete message of a non-streaming response. */
  readonly whole: boolean;
}

/**
 * Reads one kind of content from a chunk of a choice, appends events to `events`, and returns the next state.
 * Readers run for every chunk of every stream, so all readers append to the same list.
 */
export type ReadStep = (state: ChoiceState, piece: ChoicePiece, events: StreamEvent[]) => ChoiceState;

export function endOpenBlock(state: ChoiceState, events: StreamEvent[]): ChoiceState {
  if (state.open === undefined) return state;
  const { kind, block } = state.open;
  events.push({ type: `${kind}-end`, choice: state.index, block });
  return { ...state, open: undefined };
}

/** Adds text to the open block, or starts a new block if the open block has a different kind or field. */
export function addText(
  state: ChoiceState,
  { kind, field }: Pick<OpenBlock, 'kind' | 'field'>,
  text: string,
  start: Pick<Extract<StreamEvent, { type: 'text-start' }>, 'extensions'>,
  events: StreamEvent[],
): ChoiceState {
  const choice = state.index;
  if (state.open?.kind === kind && state.open.field === field) {
    if (text !== '') events.push({ type: `${kind}-delta`, choice, block: state.open.block, text });
    return state;
  }
  endOpenBlock(state, events);
  const block = state.nextBlock;
  events.push({ type: `${kind}-start`, choice, block, ...start });
  if (text !== '') events.push({ type: `${kind}-delta`, choice, block, text });
  return { ...state, nextBlock: block + 1, open: { kind, field, block } };
}
