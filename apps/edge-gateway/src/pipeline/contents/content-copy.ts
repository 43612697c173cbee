import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { contentPartBytesMax, type ContentPart, type RequestContent } from '@gateway/contracts';
import { applyEdits, cloudFields, removeMembers } from '@gateway/wire-formats';
import type { ParsedRequest } from '../../request/request.ts';

/** Read beyond the bound and left out again: so no secret stands at the end of a cut text of which redacting saw a part. */
const marginBytes = 1024;
const copiedBytesMax = contentPartBytesMax + marginBytes;

/**
 * What a request says and what is answered, taken down on its way to the client. Made for requests of accounts that have
 * opted in alone: for all others nothing is watched.
 */
export class ContentCopy {
  #request: ParsedRequest | null = null;
  readonly #pieces: Buffer[] = [];
  #answerBytes = 0;
  #heldBytes = 0;

  constructor(response: ServerResponse) {
    watchBody(response, (piece) => this.#note(piece));
  }

  /** Notes the request itself, once it is read. */
  read(request: ParsedRequest): void {
    this.#request = request;
  }

  /** What it keeps in memory, about. */
  get bytes(): number {
    return (this.#request?.bytes.length ?? 0) + this.#heldBytes;
  }

  /** Null for a request that could not be read. `redact` takes out what nobody may keep. */
  render(redact: (text: string) => string): RequestContent | null {
    if (this.#request === null) return null;
    const { bytes, tape } = this.#request;
    const own = removeMembers(tape, tape.root, ({ key }) =>
      cloudFields.some((name) => tape.isString(key, name)),
    );
    const request = applyEdits(bytes, own);
    return {
      request: renderPart(request, request.length, redact),
      answer:
        this.#answerBytes === 0 ? null : renderPart(Buffer.concat(this.#pieces), this.#answerBytes, redact),
    };
  }

  #note(piece: unknown): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (!(bytes instanceof Uint8Array)) return;
    this.#answerBytes += bytes.length;
    const room = copiedBytesMax - this.#heldBytes;
    if (room <= 0) return;
    const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(room, bytes.length));
    this.#pieces.push(kept);
    this.#heldBytes += kept.length;
  }
}

/**
 * Has `note` see all that is written of an answer's body. HTTP/2's `end` writes its last piece by `write`, HTTP/1.1's does
 * not: either way each is seen once.
 */
function watchBody(response: ServerResponse, note: (piece: unknown) => void): void {
  const write = response.write.bind(response) as (...given: unknown[]) => boolean;
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  let isEnding = false;
  response.write = (...given: unknown[]): boolean => {
    if (!isEnding) note(given[0]);
    return write(...given);
  };
  response.end = (...given: unknown[]): ServerResponse => {
    if (!isEnding) note(given[0]);
    isEnding = true;
    return end(...given);
  };
}

function renderPart(bytes: Uint8Array, bytesOfAll: number, redact: (text: string) => string): ContentPart {
  const isCut = bytesOfAll > contentPartBytesMax;
  const shown = bytes.subarray(0, copiedBytesMax);
  // The end of what was cut may be the beginning of a character.
  const text = isUtf8(isCut ? shown.subarray(0, wholeCharacters(shown)) : shown)
    ? redact(new TextDecoder('utf-8', { ignoreBOM: true }).decode(shown, { stream: true }))
    : undefined;
  if (text === undefined) {
    const whole = Buffer.from(shown.subarray(0, contentPartBytesMax)).toString('base64');
    return { encoding: 'base64', text: whole, bytes: bytesOfAll, isCut };
  }
  return { encoding: 'utf8', text: isCut ? text.slice(0, -marginBytes) : text, bytes: bytesOfAll, isCut };
}

/** Length without the bytes of a last character that may be incomplete: at most three follow its first. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) !== 0b1000_0000) return bytes.length - back;
  }
  return bytes.length;
}
