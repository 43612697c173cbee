import { GatewayError } from '@gateway/errors';
import {
  modelBytesMax,
  modelMissing,
  modelTooLong,
  type ModelPlace,
  type ModelScanner,
} from './model-scanner.ts';
import { namesModel } from './part-head.ts';

/**
 * Maximum length in bytes of the headers of one multipart part. Clients send about 200 bytes of part headers.
 */
const headBytesMax = 16 * 1024;
const headEnd = Buffer.from('\r\n\r\n');
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const hyphen = 0x2d;

type State = 'boundary' | 'after-boundary' | 'head' | 'model';

/**
 * Finds the part named `model` in a multipart body (RFC 7578) that arrives as a stream, and rejects a second part
 * with this name. The scanner buffers at most the headers of one part. Parsers disagree about malformed bodies, for
 * example about line ends, names and parts after the final delimiter. The scanner rejects a body in which different
 * parsers could find different models. Otherwise, a provider could call a model that the gateway did not check.
 */
export class MultipartModelScanner implements ModelScanner {
  readonly isJson = false;
  readonly #delimiter: Buffer;
  #state: State = 'boundary';
  /** Whether the model name was found. After the model name, the scanner searches for a second model field. */
  #isFound = false;
  /**
   * Bytes that are not processed yet, and their offset in the body. The scanner prepends the
   * line break that must precede the first delimiter.
   */
  #held: Buffer = Buffer.from('\r\n');
  #heldAt = -2;

  /** @throws GatewayError `malformed_multipart` if the content type has no usable boundary. */
  constructor(contentType: string) {
    const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
    const name = boundary?.[1] ?? boundary?.[2];
    if (name === undefined) throw malformed('The content type of the body has no boundary.');
    this.#delimiter = Buffer.from(`--${name}`);
  }

  push(chunk: Buffer): ModelPlace | null {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const before = this.#state;
      const found = this.#advance();
      if (found) {
        this.#isFound = true;
        this.#state = 'boundary';
        this.pushRest(Buffer.alloc(0));
        return found;
      }
      if (this.#state === before) return null;
    }
  }

  pushRest(chunk: Buffer): void {
    this.push(chunk);
  }

  renderModel(model: string): Buffer {
    return Buffer.from(model);
  }

  /**
   * Moves the parser to its next state if enough bytes are buffered. If too few bytes are buffered, the
   * parser's state does not change.
   */
  #advance(): ModelPlace | null {
    switch (this.#state) {
      case 'boundary':
        return this.#seekBoundary();
      case 'after-boundary':
        return this.#readBoundaryEnd();
      case 'head':
        return this.#readHead();
      case 'model':
        return this.#readModel();
    }
  }

  #seekBoundary(): null {
    const at = this.#findDelimiter(2);
    if (at === -1) {
      // A delimiter, which includes the line break before it, may arrive in several chunks.
      this.#drop(Math.max(0, this.#held.length - this.#delimiter.length - 1));
      return null;
    }
    this.#drop(at + this.#delimiter.length);
    this.#state = 'after-boundary';
    return null;
  }

  /**
   * Returns the index of the next delimiter at the start of a line, or -1. A boundary in the middle of a line
   * belongs to the content of the part. Throws an error if the line before a boundary does not end with CR and LF.
   * Some parsers accept such a boundary as a delimiter.
   */
  #findDelimiter(from: number): number {
    let at = this.#held.indexOf(this.#delimiter, from);
    while (at !== -1) {
      const [before, last] = [this.#held[at - 2], this.#held[at - 1]];
      if (before === carriageReturn && last === lineFeed) return at;
      if (last === carriageReturn || last === lineFeed) throw malformed('Lines must end with CR LF.');
      at = this.#held.indexOf(this.#delimiter, at + 1);
    }
    return -1;
  }

  #readBoundaryEnd(): null {
    if (this.#held.length < 2) return null;
    // Two hyphens after a delimiter end the body.
    // A delimiter without two hyphens is followed by optional spaces and the next part.
    const isEnd = this.#held[0] === hyphen && this.#held[1] === hyphen;
    if (isEnd && !this.#isFound) throw modelMissing();
    // Some parsers ignore an end delimiter that is not on a separate line, so the search continues.
    this.#state = isEnd ? 'boundary' : 'head';
    return null;
  }

  #readHead(): null {
    const at = this.#held.indexOf(headEnd);
    if (at === -1) {
      if (this.#held.length <= headBytesMax) return null;
      throw malformed(`The headers of a part are longer than ${headBytesMax} bytes.`);
    }
    const isModel = namesModel(this.#held.toString('latin1', 0, at));
    if (isModel && this.#isFound) throw modelTwice();
    // If a part is empty, the line break after its headers belongs to the closing delimiter.
    this.#drop(at + (isModel ? 4 : 2));
    this.#state = isModel ? 'model' : 'boundary';
    return null;
  }

  #readModel(): ModelPlace | null {
    const at = this.#held.length < 2 ? -1 : this.#findDelimiter(2);
    const end = at - 2;
    const known = at === -1 ? this.#held.length - this.#delimiter.length - 2 : end;
    if (known > modelBytesMax) throw modelTooLong();
    if (at === -1) return null;
    const place = {
      start: this.#heldAt,
      end: this.#heldAt + end,
      model: this.#held.toString('utf8', 0, end),
    };
    this.#drop(end);
    return place;
  }

  #drop(bytes: number): void {
    this.#held = Buffer.from(this.#held.subarray(bytes));
    this.#heldAt += bytes;
  }
}

function malformed(message: string): GatewayError {
  return new GatewayError('malformed_multipart', { message });
}

function modelTwice(): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'model',
    message: 'The body has two parts named "model". Send exactly one.',
  });
}
