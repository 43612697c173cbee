import type { JsonObject, StreamEvent } from '@gateway/interchange';

/** What has to be remembered between the events of an answer. Never changed in place. */
export interface StreamState {
  readonly started: boolean;
  readonly ended: boolean;
  readonly failed: boolean;
  readonly nextBlock: number;
  readonly open: OpenText | undefined;
  /** The calls that are open, by Cohere's numbers for them. */
  readonly calls: ReadonlyMap<number, OpenCall>;
}

export interface OpenCall {
  readonly block: number;
  readonly hasArguments: boolean;
}

/** The block that text goes into now. `member` is where it comes in: a plan and a thought are two blocks. */
export interface OpenText {
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

export type StreamStep = readonly [StreamState, readonly StreamEvent[]];

/** One type of event: its own members, and those of the message in it. */
export type ReadEvent = (state: StreamState, event: JsonObject, message: JsonObject) => StreamStep;
