import { GatewayError } from '@gateway/errors';
import {
  modelBytesMax,
  modelMissing,
  modelTooLong,
  type ModelPlace,
  type ModelScanner,
} from './model-scanner.ts';

/** Maximum size of a part's headers. Clients send about 200 bytes. */
const headBytesMax = 16 * 1024;
const headEnd = Buffer.from('\r\n\r\n');

type State = 'boundary' | 'after-boundary' | 'head' | 'model';

/**
 * Finds the part named `model` in a multipart body (RFC 7578) that arrives as a stream. It buffers at most
 * one part's headers.
 */
export class MultipartModelScanner implements ModelScanner {
  readonly isJson = false;
  readonly #delimiter: Buffer;
  #state: State = 'boundary';
  /**
   * Bytes that are not processed yet, and their offset in the body. The scanner prepends the line break that
   * precedes the first delimiter.
   */
  #held: Buffer = Buffer.from('\r\n');
  #heldAt = -2;

  /** @throws GatewayError `malformed_multipart` if the content type has no usable boundary. */
  constructor(contentType: string) {
    const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
    const name = boundary?.[1] ?? boundary?.[2];
    if (name === undefined) {
      throw new GatewayError('malformed_multipart', {
        message: 'The content type of the body has no boundary.',
      });
    }
    this.#delimiter = Buffer.from(`\r\n--${name}`);
  }

  push(chunk: Buffer): ModelPlace | null {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const before = this.#state;
      const found = this.#advance();
      if (found) return found;
      if (this.#state === before) return null;
    }
  }

  renderModel(model: string): Buffer {
    return Buffer.from(model);
  }

  /** Advances by one state if enough bytes are buffered; otherwise the state does not change. */
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
    const at = this.#held.indexOf(this.#delimiter);
    if (at === -1) {
      this.#drop(Math.max(0, this.#held.length - this.#delimiter.length + 1));
      return null;
    }
    this.#drop(at + this.#delimiter.length);
    this.#state = 'after-boundary';
    return null;
  }

  #readBoundaryEnd(): null {
    if (this.#held.length < 2) return null;
    // Two hyphens mark the end of the body. Otherwise a part starts after optional padding.
    if (this.#held[0] === 0x2d && this.#held[1] === 0x2d) throw modelMissing();
    this.#state = 'head';
    return null;
  }

  #readHead(): null {
    const at = this.#held.indexOf(headEnd);
    if (at === -1) {
      if (this.#held.length <= headBytesMax) return null;
      throw new GatewayError('malformed_multipart', {
        message: `The headers of a part are longer than ${headBytesMax} bytes.`,
      });
    }
    const head = this.#held.toString('utf8', 0, at);
    // If a part is empty, its closing delimiter starts with the line break that ends its headers.
    const isModel = namesModel(head);
    this.#drop(at + (isModel ? 4 : 2));
    this.#state = isModel ? 'model' : 'boundary';
    return null;
  }

  #readModel(): ModelPlace | null {
    const at = this.#held.indexOf(this.#delimiter);
    const known = at === -1 ? this.#held.length - this.#delimiter.length : at;
    if (known > modelBytesMax) throw modelTooLong();
    if (at === -1) return null;
    const start = this.#heldAt;
    return { start, end: start + at, model: this.#held.toString('utf8', 0, at) };
  }

  #drop(bytes: number): void {
    this.#held = Buffer.from(this.#held.subarray(bytes));
    this.#heldAt += bytes;
  }
}

/** Whether a part is named `model` in its Content-Disposition header. */
function namesModel(head: string): boolean {
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? '';
  const name = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(disposition);
  return (name?.[1] ?? name?.[2]) === 'model';
}
