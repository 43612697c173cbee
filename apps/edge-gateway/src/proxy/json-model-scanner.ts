import { GatewayError } from '@gateway/errors';
import {
  modelBytesMax,
  modelMissing,
  modelTooLong,
  type ModelPlace,
  type ModelScanner,
} from './model-scanner.ts';

const quote = 0x22;
const backslash = 0x5c;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Maximum number of bytes of an object key that are stored for comparison. An object key longer than the
 * maximum cannot be `model`.
 */
const keyBytesMax = 64;

type State = 'start' | 'key-or-end' | 'key' | 'colon' | 'value' | 'model';

/**
 * Finds the field `model` in a JSON object that arrives as a stream of bytes, without storing the bytes. The
 * scanner checks only the nesting of fields. The provider validates the rest of the JSON object.
 */
export class JsonModelScanner implements ModelScanner {
  readonly isJson = true;
  #state: State = 'start';
  /** Nesting depth within the outermost object. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Offset of the next byte in the body. */
  #at = 0;
  /** The bytes of the current object key or model name, without quotes. */
  #text: number[] = [];
  #textStart = 0;

  push(chunk: Buffer): ModelPlace | null {
    for (const byte of chunk) {
      const found = this.#take(byte);
      this.#at += 1;
      if (found) return found;
    }
    return null;
  }

  /**
   * The scanner does not check the bytes after the model, because `MemberFilter` removes a second model field
   * before the body is forwarded.
   */
  pushRest(): void {}

  renderModel(model: string): Buffer {
    return Buffer.from(JSON.stringify(model));
  }

  #take(byte: number): ModelPlace | null {
    switch (this.#state) {
      case 'start':
        return this.#takeStart(byte);
      case 'key-or-end':
        if (byte === quote) this.#open('key');
        else if (byte === 0x7d) throw modelMissing();
        else if (byte !== 0x2c && !isSpace(byte)) throw this.#malformed();
        return null;
      case 'key':
        this.#takeKey(byte);
        return null;
      case 'colon':
        if (byte === 0x3a) this.#state = this.#key() === 'model' ? 'model' : 'value';
        else if (!isSpace(byte)) throw this.#malformed();
        return null;
      case 'model':
        return this.#takeModel(byte);
      default:
        this.#skip(byte);
        return null;
    }
  }

  #takeStart(byte: number): null {
    if (byte === 0x7b) this.#state = 'key-or-end';
    else if (!isSpace(byte)) throw this.#malformed();
    return null;
  }

  #open(state: 'key' | 'model'): void {
    this.#state = state;
    this.#text = [];
    this.#textStart = this.#at;
    this.#inString = true;
    this.#escaped = false;
  }

  /** Reads the bytes of a string. Returns true at the closing quote of the JSON string. */
  #readText(byte: number, bytesMax: number): boolean {
    if (byte === quote && !this.#escaped) {
      this.#inString = false;
      return true;
    }
    this.#escaped = byte === backslash && !this.#escaped;
    if (this.#text.length <= bytesMax) this.#text.push(byte);
    return false;
  }

  #takeKey(byte: number): void {
    if (this.#readText(byte, keyBytesMax)) this.#state = 'colon';
  }

  #key(): string | null {
    return this.#text.length > keyBytesMax ? null : this.#unescape();
  }

  #takeModel(byte: number): ModelPlace | null {
    if (!this.#inString) {
      if (isSpace(byte)) return null;
      if (byte !== quote) throw new GatewayError('invalid_field', { param: 'model' });
      this.#open('model');
      return null;
    }
    const isClosed = this.#readText(byte, modelBytesMax);
    if (this.#text.length > modelBytesMax) throw modelTooLong();
    return isClosed ? { start: this.#textStart, end: this.#at + 1, model: this.#unescape() } : null;
  }

  /** Skips a JSON value of any nesting depth, up to the next comma or bracket. */
  #skip(byte: number): void {
    if (this.#inString) {
      if (byte === quote && !this.#escaped) this.#inString = false;
      this.#escaped = byte === backslash && !this.#escaped;
      return;
    }
    if (byte === quote) {
      this.#inString = true;
      this.#escaped = false;
    } else if (byte === 0x7b || byte === 0x5b) this.#depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      this.#depth -= 1;
      // The outermost object has ended without a model field.
      if (this.#depth < 0) throw modelMissing();
    } else if (byte === 0x2c && this.#depth === 0) this.#state = 'key-or-end';
  }

  #unescape(): string {
    try {
      return JSON.parse(`"${Buffer.from(this.#text).toString()}"`) as string;
    } catch {
      throw this.#malformed();
    }
  }

  #malformed(): GatewayError {
    return new GatewayError('malformed_json', {
      message: `The body is not a valid JSON object (at byte ${this.#at}).`,
    });
  }
}
