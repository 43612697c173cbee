import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';

/** What has to be remembered between the frames of an answer. Never changed in place. */
export interface StreamState {
  readonly started: boolean;
  /** Whether the frames that end an answer have come: `messageStop` and `metadata`, in either order. */
  readonly stopped: boolean;
  readonly told: boolean;
  readonly ended: boolean;
  readonly nextBlock: number;
  /** The block that is open, and the provider's number for it. Blocks come one after the other. */
  readonly open: OpenBlock | undefined;
  /** Characters that wait for their block to end. */
  readonly heldCharacters: number;
}

export type OpenBlock = { readonly index: number; readonly block: number } & (
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking'; readonly signature: string | undefined }
  | { readonly kind: 'tool-call'; readonly hasInput: boolean }
  /** A block that is told when it is whole: the member that it is, how it began, and what came since, latest first. */
  | {
      readonly kind: 'held';
      readonly member: string;
      readonly start: JsonObject;
      readonly pieces: Pieces | undefined;
    }
);

export interface Pieces {
  readonly piece: unknown;
  readonly before: Pieces | undefined;
}

export type StreamStep = readonly [StreamState, readonly StreamEvent[]];

export const initialStreamState: StreamState = {
  started: false,
  stopped: false,
  told: false,
  ended: false,
  nextBlock: 0,
  open: undefined,
  heldCharacters: 0,
};

/** Far more than a result of a provider's own tool, or an image of its own, takes. */
const heldCharactersMax = 32 * 1024 * 1024;

/** @throws GatewayError `upstream_invalid` past the bound. */
export function holdPiece(
  state: StreamState,
  open: OpenBlock & { kind: 'held' },
  piece: unknown,
): StreamState {
  const heldCharacters = state.heldCharacters + JSON.stringify(piece).length;
  if (heldCharacters > heldCharactersMax) {
    throw new GatewayError('upstream_invalid', { detail: 'a block of the stream is too long' });
  }
  return { ...state, heldCharacters, open: { ...open, pieces: { piece, before: open.pieces } } };
}

export function piecesInOrder(pieces: Pieces | undefined): unknown[] {
  const found: unknown[] = [];
  for (let at = pieces; at !== undefined; at = at.before) found.push(at.piece);
  return found.reverse();
}

export function chainSteps(
  state: StreamState,
  ...steps: readonly ((state: StreamState) => StreamStep)[]
): StreamStep {
  let current = state;
  const told: StreamEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(current);
    current = next;
    for (const event of events) told.push(event);
  }
  return [current, told];
}
