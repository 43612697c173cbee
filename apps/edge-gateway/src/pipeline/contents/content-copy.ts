import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { contentPartBytesMax, type ContentPart, type RequestContent } from '@gateway/contracts';
import { applyEdits, cloudFields, removeMembers } from '@gateway/wire-formats';
import type { ParsedRequest } from '../../request/request.ts';

/**
 * Extra bytes copied beyond the limit, and removed after redaction. Without them, a secret that straddles the
 * limit could be only partly redacted.
 */
const marginBytes = 1024;
const copiedBytesMax = contentPartBytesMax + marginBytes;

/**
 * Copies a request, and its response as it is written. Created only for accounts that opted in to content
 * logging.
 */
export class ContentCopy {
  #request: ParsedRequest | null = null;
  readonly #pieces: Buffer[] = [];
  #answerBytes = 0;
  #heldBytes = 0;

  constructor(response: ServerResponse) {
    watchBody(response, (piece) => this.#note(piece));
  }

  /** Keeps the parsed request. */
  read(request: ParsedRequest): void {
    this.#request = request;
  }

  /** Approximate memory use in bytes. */
  get bytes(): number {
    return (this.#request?.bytes.length ?? 0) + this.#heldBytes;
  }

  /** Returns null for a request that could not be parsed. `redact` removes secrets from text. */
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
 * Calls `note` exactly once with each chunk of a response body. HTTP/2's `end` passes its last chunk to
 * `write`; HTTP/1.1's `end` does not.
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
  // A cut can split a multi-byte character.
  const text = isUtf8(isCut ? shown.subarray(0, wholeCharacters(shown)) : shown)
    ? redact(new TextDecoder('utf-8', { ignoreBOM: true }).decode(shown, { stream: true }))
    : undefined;
  if (text === undefined) {
    const whole = Buffer.from(shown.subarray(0, contentPartBytesMax)).toString('base64');
    return { encoding: 'base64', text: whole, bytes: bytesOfAll, isCut };
  }
  return { encoding: 'utf8', text: isCut ? text.slice(0, -marginBytes) : text, bytes: bytesOfAll, isCut };
}

/**
 * Returns the length without a possibly incomplete UTF-8 character at the end. A character has at most three
 * bytes after its first one.
 */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) !== 0b1000_0000) return bytes.length - back;
  }
  return bytes.length;
}
