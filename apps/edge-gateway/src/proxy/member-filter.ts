import { GatewayError } from '@gateway/errors';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const space = 0x20;

/** Bytes of a key that are kept to compare it; a longer key is another one. */
const keyBytesMax = 128;
/** Bytes between two members, and of the key of the second. */
const heldBytesMax = 64 * 1024;

type State = 'before' | 'between' | 'key' | 'value' | 'after';

/**
 * Blanks out members of a JSON object as its bytes go by, and repetitions of one that may be there once: spaces take the place of the member and of one comma beside it,
 * so that the body stays as long as it was declared to be. It holds no more than what stands between two values.
 */
export class MemberFilter {
  readonly #names: ReadonlySet<string>;
  readonly #onceName: string;
  #hasSeenOnce = false;
  #state: State = 'before';
  /** What came since the last value: whether it stays hangs on the key at its end. */
  #held: number[] = [];
  #key: number[] = [];
  #hasKept = false;
  #isDropping = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /**
   * @param names of the members that are taken out of the outermost object.
   * @param onceName of the member of which the first stays and every further one is taken out.
   */
  constructor(names: readonly string[], onceName: string) {
    this.#names = new Set(names);
    this.#onceName = onceName;
  }

  /** What of the body may go on now. Throws `malformed_json` where more stands between two members than anybody writes. */
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

  /** What was held when the body ended, for a provider to judge. */
  end(): Buffer {
    return Buffer.from(this.#held.splice(0));
  }

  /** Takes the next byte; true while it cannot be told yet whether it stays. */
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
    // No key that is looked for: the rest of it is skipped like any text.
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
    // A comma before the first member that stays belonged to one that did not.
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
