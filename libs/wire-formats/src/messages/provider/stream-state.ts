import type { JsonObject } from '@gateway/interchange';
import type { Step } from '../../common/stream-step.ts';

/** The parser's immutable state between two events of a response. */
export interface StreamState {
  readonly started: boolean;
  readonly ended: boolean;
  readonly nextBlock: number;
  /** Open blocks, by Anthropic's index. */
  readonly open: ReadonlyMap<number, OpenBlock>;
  /** The provider's usage fields that have been received so far. */
  readonly usage: JsonObject;
}

export type StreamStep = Step<StreamState>;

interface Opened {
  readonly block: number;
}

/** A block that has started but not ended. */
export type OpenBlock =
  | (Opened & { readonly kind: 'text' })
  | (Opened & { readonly kind: 'tool-call'; readonly hasInput: boolean })
  | (Opened & { readonly kind: 'thinking'; readonly signature?: string; readonly redacted?: string })
  /** A block for which the interchange has no type. The block is emitted as one event when it ends. */
  | (Opened & { readonly kind: 'opaque'; readonly raw: JsonObject; readonly inputText: string });

export const initialStreamState: StreamState = {
  started: false,
  ended: false,
  nextBlock: 0,
  open: new Map(),
  usage: {},
};

/**
 * Maximum number of fields that deltas may add to a block or to usage. The maximum limits memory and time,
 * because all fields are copied for each delta.
 */
export const membersMax = 256;

export function setBlock(state: StreamState, index: number, block: OpenBlock | undefined): StreamState {
  const open = new Map(state.open);
  if (block === undefined) open.delete(index);
  else open.set(index, block);
  return { ...state, open };
}
