import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { Step } from '../../common/stream-step.ts';
import { parseExactJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, isObject } from '../../json/read-members.ts';
import { parseBlock } from '../shared/parse-block.ts';
import { own } from '../shared/own-members.ts';
import { emitPart } from './parse-response.ts';

/** The parser's immutable state between two frames of a response. */
export interface StreamState {
  readonly started: boolean;
  /**
   * True if `messageStop` was received. A response ends when `messageStop` and `metadata` have arrived, in
   * either order.
   */
  readonly stopped: boolean;
  /** True if `metadata` was received. */
  readonly hasMetadata: boolean;
  readonly ended: boolean;
  readonly nextBlock: number;
  /** The open block and the provider's index for the block. At most one block is open. */
  readonly open: OpenBlock | undefined;
  /** Number of buffered characters in the open block. */
  readonly bufferedCharacters: number;
}

export type OpenBlock = { readonly index: number; readonly block: number } & (
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking'; readonly signature: string | undefined }
  | { readonly kind: 'tool-call'; readonly hasInput: boolean }
  /** A block that is emitted only when it is complete. `pieces` contains the deltas, latest first. */
  | {
      readonly kind: 'buffered';
      readonly member: string;
      readonly start: JsonObject;
      readonly pieces: Pieces | undefined;
    }
);

interface Pieces {
  readonly piece: unknown;
  readonly before: Pieces | undefined;
}

export type StreamStep = Step<StreamState>;

export const initialStreamState: StreamState = {
  started: false,
  stopped: false,
  hasMetadata: false,
  ended: false,
  nextBlock: 0,
  open: undefined,
  bufferedCharacters: 0,
};

/**
 * Maximum number of characters per block, which is far more than server tool results and generated images
 * need.
 */
const bufferedCharactersMax = 32 * 1024 * 1024;

/** @throws GatewayError `upstream_invalid` if the block exceeds its maximum size. */
export function bufferPiece(
  state: StreamState,
  open: OpenBlock & { kind: 'buffered' },
  piece: unknown,
): StreamState {
  const bufferedCharacters = state.bufferedCharacters + JSON.stringify(piece).length;
  if (bufferedCharacters > bufferedCharactersMax) {
    throw new GatewayError('upstream_invalid', { detail: 'a block of the stream exceeds the size limit' });
  }
  return { ...state, bufferedCharacters, open: { ...open, pieces: { piece, before: open.pieces } } };
}

function piecesInOrder(pieces: Pieces | undefined): unknown[] {
  const found: unknown[] = [];
  for (let at = pieces; at !== undefined; at = at.before) found.push(at.piece);
  return found.reverse();
}

/** Ends the open block, if a block is open. */
export function endOpenBlock(state: StreamState): StreamStep {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined, bufferedCharacters: 0 }, emitEnd(open)];
}

function emitEnd(open: OpenBlock): StreamEvent[] {
  const place = { choice: 0, block: open.block };
  switch (open.kind) {
    case 'text':
      return [{ type: 'text-end', ...place }];
    case 'thinking': {
      const { signature } = open;
      return [{ type: 'thinking-end', ...place, ...(signature === undefined ? {} : { signature }) }];
    }
    case 'tool-call':
      // In a stream, a tool call without arguments has no deltas.
      // In a non-streaming response, a tool call without arguments contains `{}`.
      return [
        ...(open.hasInput ? [] : [{ type: 'tool-call-delta', ...place, argumentsText: '{}' } as const]),
        { type: 'tool-call-end', ...place },
      ];
    case 'buffered':
      return emitBuffered(open);
  }
}

function emitBuffered(open: OpenBlock & { kind: 'buffered' }): StreamEvent[] {
  const pieces = piecesInOrder(open.pieces);
  const raw = { [open.member]: joinPieces(open.member, open.start, pieces) };
  const part = parseBlock(raw);
  return emitPart(
    part.type === 'tool-result' ? { type: 'opaque', extensions: own.of({ part: raw }) } : part,
    open.block,
  );
}

/** The block's content, in the shape that a non-streaming response uses. */
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
    // Invalid arguments of a server tool are kept as text, because the client cannot correct them.
    return text;
  }
}

/**
 * Decodes each base64 string before joining the bytes, because padding makes joined base64 strings invalid.
 */
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
