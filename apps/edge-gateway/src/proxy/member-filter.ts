import { GatewayError } from '@gateway/errors';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const space = 0x20;

/**
 * Maximum number of bytes of an object key that are stored for comparison. Object keys above this length never match.
 */
const keyBytesMax = 128;
/**
 * Maximum number of buffered bytes. The filter buffers the bytes between two fields and the bytes of the next
 * key.
 */
const heldBytesMax = 64 * 1024;

type State = 'before' | 'between' | 'key' | 'value' | 'after';

/**
 * Removes given fields and repeated fields from a JSON object that arrives as a stream of bytes. The
 * filter overwrites each removed field and one adjacent comma with spaces, so the body keeps its declared
 * length. Only the bytes between two JSON values are buffered.
 */
export class MemberFilter {
  readonly #names: ReadonlySet<string>;
  readonly #onceName: string;
  #hasSeenOnce = false;
  #state: State = 'before';
  /** Bytes received since the last value ended. The filter forwards the buffered bytes together with the next key. */
  #held: number[] = [];
  #key: number[] = [];
  #hasKept = false;
  #isDropping = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /**
   * Creates a filter.
   * @param names fields to remove from the outermost object.
   * @param onceName name of a field that may occur only once. Repetitions of this field are removed.
   */
  constructor(names: readonly string[], onceName: string) {
    this.#names = new Set(names);
    this.#onceName = onceName;
  }

  /**
   * Returns the bytes that can be forwarded now. Throws `malformed_json` if there are too many bytes between
   * two fields.
   */
  push(chunk: Buffer): Buffer {
    const out = Buffer.allocUnsafe(this.#held.length + chunk.length);
    let length = 0;
    for (const byte of chunk) {
      if (this.#take(byte)) {
        this.#held.push(byte);
        if (this.#held.length > heldBytesMax) throw new GatewayError('malformed_json');
        continue;
      }
      if (this.#held.length > 0) {
        for (const held of this.#held) out[length++] = this.#isDropping ? blank(held) : held;
        this.#held = [];
      }
      out[length++] = this.#isDropping ? blank(byte) : byte;
    }
    return out.subarray(0, length);
  }

  /**
   * Returns the bytes that are still buffered at the end of the body. The filter does not validate the remaining
   * bytes, because the provider validates the body.
   */
  end(): Buffer {
    return Buffer.from(this.#held.splice(0));
  }

  /** Processes the next byte. Returns true while the filter has not decided yet whether the byte is forwarded. */
  #take(byte: number): boolean {
    switch (this.#state) {
      case 'before':
        if (byte === 0x7b) this.#state = 'between';
        return false;
      case 'between':
        return this.#takeBetween(byte);
      case 'key':
        return this.#takeKey(byte);
      case 'value':
        return this.#takeValue(byte);
      case 'after':
        return false;
    }
  }

  #takeBetween(byte: number): boolean {
    if (byte === 0x7d) return this.#close();
    if (byte !== quote) return true;
    this.#state = 'key';
    this.#key = [];
    this.#escaped = false;
    return true;
  }

  #takeKey(byte: number): boolean {
    if (byte === quote && !this.#escaped) {
      this.#decide(this.#isUnwanted(unescape(this.#key)));
      return false;
    }
    this.#escaped = byte === backslash && !this.#escaped;
    this.#key.push(byte);
    if (this.#key.length <= keyBytesMax) return true;
    // The key matches no removed field, so the filter skips the rest of the key like any other string.
    this.#decide(false);
    this.#inString = true;
    return false;
  }

  #isUnwanted(key: string): boolean {
    if (key !== this.#onceName) return this.#names.has(key);
    const isRepetition = this.#hasSeenOnce;
    this.#hasSeenOnce = true;
    return isRepetition;
  }

  #decide(isDropped: boolean): void {
    this.#state = 'value';
    this.#isDropping = isDropped;
    this.#depth = 0;
    this.#inString = false;
    if (isDropped) return;
    // No comma may precede the first remaining field, so the comma after a removed field is removed too.
    if (!this.#hasKept) this.#held = this.#held.map((held) => (held === comma ? space : held));
    this.#hasKept = true;
  }

  #takeValue(byte: number): boolean {
    if (this.#inString) {
      if (byte === quote && !this.#escaped) this.#inString = false;
      this.#escaped = byte === backslash && !this.#escaped;
      return false;
    }
    if (byte === quote) {
      this.#inString = true;
      this.#escaped = false;
    } else if (byte === 0x7b || byte === 0x5b) this.#depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      if (this.#depth === 0) return this.#close();
      this.#depth -= 1;
    } else if (byte === comma && this.#depth === 0) {
      this.#state = 'between';
      return true;
    }
    return false;
  }

  #close(): false {
    this.#state = 'after';
    this.#isDropping = false;
    return false;
  }
}

const blank = (byte: number): number => (byte === 0x0a || byte === 0x0d ? byte : space);

function unescape(key: readonly number[]): string {
  const text = Buffer.from(key).toString();
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
