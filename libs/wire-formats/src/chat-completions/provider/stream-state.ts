import type { JsonObject } from '@gateway/interchange';

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
export interface OpenBlock {
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
