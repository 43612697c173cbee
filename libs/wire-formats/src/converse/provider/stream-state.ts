import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { parseExactJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, isObject } from '../../json/read-members.ts';
import { parseBlock } from '../shared/parse-block.ts';
import { own } from '../shared/own-members.ts';
import { tellPart } from './parse-response.ts';

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

interface Pieces {
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

function piecesInOrder(pieces: Pieces | undefined): unknown[] {
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

/** Ends the open block, if there is one. */
export function endOpenBlock(state: StreamState): StreamStep {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined, heldCharacters: 0 }, tellEnd(open)];
}

function tellEnd(open: OpenBlock): StreamEvent[] {
  const place = { choice: 0, block: open.block };
  switch (open.kind) {
    case 'text':
      return [{ type: 'text-end', ...place }];
    case 'thinking': {
      const { signature } = open;
      return [{ type: 'thinking-end', ...place, ...(signature === undefined ? {} : { signature }) }];
    }
    case 'tool-call':
      // A call without arguments streams none; a plain answer says `{}`.
      return [
        ...(open.hasInput ? [] : [{ type: 'tool-call-delta', ...place, argumentsText: '{}' } as const]),
        { type: 'tool-call-end', ...place },
      ];
    case 'held':
      return tellHeld(open);
  }
}

function tellHeld(open: OpenBlock & { kind: 'held' }): StreamEvent[] {
  const pieces = piecesInOrder(open.pieces);
  const raw = { [open.member]: joinPieces(open.member, open.start, pieces) };
  const part = parseBlock(raw);
  return tellPart(
    part.type === 'tool-result' ? { type: 'opaque', extensions: own.of({ part: raw }) } : part,
    open.block,
  );
}

/** The body that a plain answer would have. */
function joinPieces(member: string, start: object, pieces: readonly unknown[]): object {
  switch (member) {
    case 'toolUse':
      return { ...start, input: parseInput(pieces.map((piece) => asText(piece) ?? '').join('')) };
    case 'toolResult':
      return { ...start, content: pieces.flatMap(asList) };
    case 'reasoningContent':
      return { redactedContent: joinBase64(pieces) };
    default:
      return { ...start, ...joinImage(pieces) };
  }
}

function parseInput(text: string): unknown {
  try {
    return text.trim() === '' ? {} : parseExactJson(text);
  } catch {
    // What a provider's own tool was given is shown to nobody who could mend it.
    return text;
  }
}

/** Base64 in pieces is the bytes in pieces: the texts cannot be joined, the bytes can. */
function joinBase64(pieces: readonly unknown[]): string {
  const [only, ...others] = pieces;
  if (others.length === 0) return asText(only) ?? '';
  return Buffer.concat(pieces.map((piece) => Buffer.from(asText(piece) ?? '', 'base64'))).toString('base64');
}

function joinImage(pieces: readonly unknown[]): object {
  const bodies = pieces.filter(isObject);
  const bytes = bodies
    .map((body) => asObject(body.source)?.bytes)
    .filter((piece) => typeof piece === 'string');
  const merged: object = Object.assign({}, ...bodies) as object;
  return bytes.length === 0 ? merged : { ...merged, source: { bytes: joinBase64(bytes) } };
}
