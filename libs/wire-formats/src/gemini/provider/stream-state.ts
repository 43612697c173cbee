import type { JsonObject } from '@gateway/interchange';
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
export interface OpenText {
  readonly kind: 'text' | 'thinking';
  readonly block: number;
  /** Nothing may be added to its text: it came as a part of its own. */
  readonly isSealed?: true;
}

/** A call whose arguments are still coming. */
export interface OpenCall {
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
