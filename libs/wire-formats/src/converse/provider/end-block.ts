import type { StreamEvent } from '@gateway/interchange';
import { parseExactJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, isObject } from '../../json/read-members.ts';
import { parseBlock } from '../blocks/parse-block.ts';
import { own } from '../own.ts';
import { piecesInOrder, type OpenBlock, type StreamState, type StreamStep } from './stream-state.ts';
import { tellPart } from './tell-part.ts';

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
