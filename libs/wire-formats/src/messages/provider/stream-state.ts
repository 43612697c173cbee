import type { JsonObject, StreamEvent } from '@gateway/interchange';

/** What has to be remembered between the events of an answer. Never changed in place. */
export interface StreamState {
  readonly started: boolean;
  readonly ended: boolean;
  readonly nextBlock: number;
  /** By Anthropic's index. */
  readonly open: ReadonlyMap<number, OpenBlock>;
  /** The provider's own figures as told so far. */
  readonly usage: JsonObject;
}

/** The state after an event, and what the event tells. */
export type StreamStep = readonly [StreamState, readonly StreamEvent[]];

interface Opened {
  readonly block: number;
}

/** A block that goes on. */
export type OpenBlock =
  | (Opened & { readonly kind: 'text' })
  | (Opened & { readonly kind: 'tool-call'; readonly hasInput: boolean })
  | (Opened & { readonly kind: 'thinking'; readonly signature?: string; readonly redacted?: string })
  /** A block that the interchange has no word for: it is told whole when it ends. */
  | (Opened & { readonly kind: 'opaque'; readonly raw: JsonObject; readonly inputText: string });

export const initialStreamState: StreamState = {
  started: false,
  ended: false,
  nextBlock: 0,
  open: new Map(),
  usage: {},
};

/** Members that pieces add up to, in a block or in usage: each piece copies them. A provider past that makes names up. */
export const membersMax = 256;

export function setBlock(state: StreamState, index: number, block: OpenBlock | undefined): StreamState {
  const open = new Map(state.open);
  if (block === undefined) open.delete(index);
  else open.set(index, block);
  return { ...state, open };
}
