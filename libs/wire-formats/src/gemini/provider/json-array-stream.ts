import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { StreamParser } from '../../common/format.ts';
import type { SseReducer } from '../../sse/parse-sse-stream.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Splits a JSON array of objects (or a single object) that arrives in chunks. The decoder returns the text of
 * each complete object. The decoder only finds where objects end, so the text of an object may be invalid
 * JSON. Each byte is read once.
 */
export class JsonArrayDecoder {
  readonly #elementBytesMax: number;
  /** The bytes of the incomplete object. The buffer doubles in size when it is full. */
  #pending = Buffer.alloc(0);
  #pendingBytes = 0;
  /** Number of open braces and brackets, excluding the array's outer bracket. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #inArray = false;
  #isClosed = false;

  constructor(elementBytesMax: number) {
    this.#elementBytesMax = elementBytesMax;
  }

  /** Whether the end of the array or of the single object was read. */
  get isWhole(): boolean {
    return this.#isClosed;
  }

  /** @throws RangeError for an element above the size limit */
  push(chunk: Uint8Array): string[] {
    const elements: string[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const depth = this.#depth;
      this.#readByte(chunk[at] ?? 0);
      if (depth === 0 && this.#depth === 1) start = at;
      if (depth === 1 && this.#depth === 0) elements.push(this.#endElement(chunk.subarray(start, at + 1)));
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start));
    return elements;
  }

  #readByte(byte: number): void {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#inString = false;
    } else if (byte === quote) {
      this.#inString = this.#depth > 0;
    } else if (byte === openBrace || (byte === openBracket && this.#depth > 0)) {
      this.#depth += 1;
    } else if (byte === openBracket) {
      this.#inArray = true;
    } else if ((byte === closeBrace || byte === closeBracket) && this.#depth > 0) {
      this.#depth -= 1;
      this.#isClosed = this.#depth === 0 && !this.#inArray;
    } else if (byte === closeBracket) {
      this.#isClosed = this.#inArray;
    }
  }

  #keep(piece: Uint8Array): void {
    const length = this.#pendingBytes + piece.length;
    if (length > this.#elementBytesMax) throw new RangeError('an element exceeds the size limit');
    if (length > this.#pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.#pending.length * 2, 256));
      larger.set(this.#pending.subarray(0, this.#pendingBytes));
      this.#pending = larger;
    }
    this.#pending.set(piece, this.#pendingBytes);
    this.#pendingBytes = length;
  }

  #endElement(rest: Uint8Array): string {
    this.#keep(rest);
    const element = this.#pending.toString('utf8', 0, this.#pendingBytes);
    this.#pendingBytes = 0;
    return element;
  }
}

/**
 * Runs a format's reducer over a JSON array that arrives in chunks. Each object is processed like the data of
 * one server-sent event. An array without a closing bracket is a truncated response, so no end event is
 * emitted.
 */
export function parseJsonArrayStream<State>(
  { initial, parseFrame, endStream }: SseReducer<State>,
  { frameBytesMax }: { readonly frameBytesMax: number },
): StreamParser {
  const decoder = new JsonArrayDecoder(frameBytesMax);
  let state = initial;
  return {
    push: (chunk) =>
      readElements(decoder, chunk).flatMap((data): readonly StreamEvent[] => {
        const [next, events] = parseFrame(state, { data });
        state = next;
        return events;
      }),
    end: () => (decoder.isWhole ? [...endStream(state)[1]] : []),
  };
}

function readElements(decoder: JsonArrayDecoder, chunk: Uint8Array): string[] {
  try {
    return decoder.push(chunk);
  } catch (cause) {
    throw new GatewayError('upstream_invalid', {
      detail: 'an element of the stream exceeds the size limit',
      cause,
    });
  }
}
