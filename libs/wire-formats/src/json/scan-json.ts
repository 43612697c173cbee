import { isUtf8 } from 'node:buffer';
import {
  countFields,
  JsonDepthError,
  JsonFieldsError,
  JsonSyntaxError,
  JsonTape,
  JsonValuesError,
  nodeWords,
  type JsonLimits,
  type ScanPoint,
} from './json-tape.ts';

const quote = 0x22;
const backslash = 0x5c;

/** By byte, 1 if the byte is a quote, a backslash or a control character, which ends a run of ordinary bytes. */
const endsPlainRun = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === quote || byte === backslash ? 1 : 0,
);
const isSimpleEscape = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0,
);
const isHexDigit = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Maximum number of nodes in the scratch tape that is kept between scans (3 MiB). */
const scratchNodesKept = 262_144;
let scratch = new Uint32Array(4096 * nodeWords);
/** The open containers in the current scan. Scans are synchronous, so all scans can share one array. */
let scratchOpen = new Uint32Array(512);

/**
 * Validates JSON text in one pass over the bytes and records the positions of the values. Accepts the same
 * texts as `JSON.parse` (RFC 8259), with up to `depthMax` nested containers. A byte order mark and any text
 * after the value are rejected. The scan uses 12 bytes of memory for each value and each key, and at most six
 * times the size of the text.
 * @param from a position in another text with the same first bytes, scanned with the same limits. The scan starts at
 * this position.
 * @throws JsonSyntaxError, JsonDepthError, JsonValuesError, JsonFieldsError
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits, from?: ScanPoint): JsonTape {
  if (!isUtf8(from === undefined ? bytes : bytes.subarray(from.at)))
    throw new JsonSyntaxError('not UTF-8', 0);
  return new Scanner(bytes, limits, from).scan();
}

const noQuads = new Int32Array(0);
const noLimits = { valuesMax: Number.POSITIVE_INFINITY, fieldsMax: Number.POSITIVE_INFINITY };

class Scanner {
  readonly #bytes: Uint8Array;
  /** The bytes as 32-bit words, from `#quadsFrom`, the first 4-byte-aligned offset (0 to 3). */
  readonly #quads: Int32Array;
  readonly #quadsFrom: number;
  readonly #limits: Required<JsonLimits>;
  /** The nodes of the open containers, outermost first. */
  readonly #open: Uint32Array;
  #words = scratch;
  #nodes = 0;
  #depth = 0;
  #at = 0;
  #escaped = false;

  constructor(bytes: Uint8Array, limits: JsonLimits, from: ScanPoint | undefined) {
    this.#bytes = bytes;
    this.#limits = { ...noLimits, ...limits };
    this.#quadsFrom = -bytes.byteOffset & 3;
    const quads = Math.max(0, bytes.length - this.#quadsFrom) >> 2;
    this.#quads =
      quads === 0 ? noQuads : new Int32Array(bytes.buffer, bytes.byteOffset + this.#quadsFrom, quads);
    if (scratchOpen.length < limits.depthMax) scratchOpen = new Uint32Array(limits.depthMax);
    this.#open = scratchOpen;
    if (from !== undefined) this.#startAt(from);
  }

  #startAt({ at, words, open }: ScanPoint): void {
    while (this.#words.length < words.length) this.#grow();
    this.#words.set(words);
    this.#nodes = words.length / nodeWords;
    this.#open.set(open);
    this.#depth = open.length;
    this.#at = at;
  }

  scan(): JsonTape {
    if (this.#depth === 0 || this.#closeAndSeparate())
      do this.#scanValue();
      while (this.#closeAndSeparate());
    if (this.#at < this.#bytes.length) this.#fail('unexpected text after the value');
    const words = this.#words.slice(0, this.#nodes * nodeWords);
    if (this.#words.length <= scratchNodesKept * nodeWords) scratch = this.#words;
    return new JsonTape(this.#bytes, words);
  }

  /** Scans a JSON value up to and including the first scalar or empty container in the value. */
  #scanValue(): void {
    for (;;) {
      const first = this.#skipSpace();
      const start = this.#at;
      if (first === quote) {
        this.#scanString();
        this.#addNode(start, this.#at, this.#escaped ? 1 : 0);
        return;
      }
      if (first !== 0x7b && first !== 0x5b) {
        if (first === 0x2d || (first >= 0x30 && first <= 0x39)) this.#scanNumber();
        else this.#scanWord(first);
        this.#addNode(start, this.#at, 0);
        return;
      }
      this.#openContainer();
      const next = this.#skipSpace();
      if (next === first + 2) return;
      if (first === 0x7b) this.#scanKey(next);
    }
  }

  #openContainer(): void {
    if (this.#depth >= this.#limits.depthMax) throw new JsonDepthError(this.#limits.depthMax, this.#at);
    this.#open[this.#depth++] = this.#nodes;
    this.#addNode(this.#at, 0, 0);
    this.#at += 1;
  }

  /**
   * Closes the containers that end after a JSON value. Returns true if another JSON value follows. Returns
   * false at the end of the top-level value.
   */
  #closeAndSeparate(): boolean {
    const bytes = this.#bytes;
    const { fieldsMax } = this.#limits;
    for (;;) {
      const next = this.#skipSpace();
      if (this.#depth === 0) return false;
      const container = (this.#open[this.#depth - 1] as number) * nodeWords;
      const opening = bytes[this.#words[container] as number] as number;
      this.#at += 1;
      if (next === 0x2c) {
        if (opening === 0x7b) this.#scanKey(this.#skipSpace());
        return true;
      }
      // In ASCII, the codes of "]" and "}" are the codes of "[" and "{" plus two.
      if (next !== opening + 2) this.#fail('expected a comma or the end of the container', this.#at - 1);
      this.#words[container + 1] = this.#at;
      this.#words[container + 2] = this.#nodes;
      this.#depth -= 1;
      // Fields are counted only in objects with enough nodes to exceed the limit, because counting takes time.
      const isLong = opening === 0x7b && this.#nodes - container / nodeWords > 2 * fieldsMax;
      if (isLong && countFields(bytes, this.#words, container / nodeWords) > fieldsMax)
        throw new JsonFieldsError(fieldsMax);
    }
  }

  #scanKey(first: number): void {
    if (first !== quote) this.#fail('expected a key');
    const start = this.#at;
    this.#scanString();
    this.#addNode(start, this.#at, this.#escaped ? 1 : 0);
    if (this.#skipSpace() !== 0x3a) this.#fail('expected a colon');
    this.#at += 1;
  }

  #scanString(): void {
    const bytes = this.#bytes;
    const length = bytes.length;
    let at = this.#at + 1;
    this.#escaped = false;
    for (;;) {
      at = this.#skipPlainRun(at);
      const byte = at < length ? bytes[at] : -1;
      if (byte === quote) break;
      if (byte !== backslash)
        this.#fail(byte === -1 ? 'unterminated string' : 'control character in a string', at);
      this.#escaped = true;
      at = this.#scanEscape(at);
    }
    this.#at = at + 1;
  }

  /**
   * Returns the offset of the next byte that is not an ordinary string byte, or the length of the text. From
   * an aligned offset, the loop reads four bytes at a time. One subtraction sets the top bit of each byte
   * that is less than 0x20. An XOR turns quotes or backslashes into zero bytes, and a subtraction sets the
   * top bit of zero bytes (Warren, Hacker's Delight, 6-1). A borrow in a subtraction can mark the next higher
   * byte by mistake, so the loop checks each byte again.
   */
  #skipPlainRun(from: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    const quads = this.#quads;
    let at = from;
    const aligned = Math.min(at + ((this.#quadsFrom - at) & 3), length);
    while (at < aligned) {
      if (endsPlainRun[bytes[at] as number] !== 0) return at;
      at += 1;
    }
    if (at === length) return at;
    let quad = (at - this.#quadsFrom) >> 2;
    for (; quad < quads.length; quad += 1) {
      const four = quads[quad] as number;
      const quotes = four ^ 0x22222222;
      const backslashes = four ^ 0x5c5c5c5c;
      const borrows =
        ((four - 0x20202020) & ~four) |
        ((quotes - 0x01010101) & ~quotes) |
        ((backslashes - 0x01010101) & ~backslashes);
      if ((borrows & 0x80808080) !== 0) break;
    }
    at = (quad << 2) + this.#quadsFrom;
    while (at < length && endsPlainRun[bytes[at] as number] === 0) at += 1;
    return at;
  }

  /** Takes the offset of a backslash and returns the offset after its escape sequence. */
  #scanEscape(at: number): number {
    const bytes = this.#bytes;
    const escape = bytes[at + 1] ?? 0;
    if (isSimpleEscape[escape] === 1) return at + 2;
    if (escape !== 0x75) this.#fail('invalid escape', at);
    for (let digit = at + 2; digit < at + 6; digit += 1) {
      if (isHexDigit[bytes[digit] ?? 0] !== 1) this.#fail('invalid \\u escape', at);
    }
    return at + 6;
  }

  #scanNumber(): void {
    if (this.#byte() === 0x2d) this.#at += 1;
    if (this.#byte() === 0x30) this.#at += 1;
    else this.#scanDigits();
    if (this.#byte() === 0x2e) {
      this.#at += 1;
      this.#scanDigits();
    }
    // Setting bit 5 converts an ASCII letter to lower case.
    if ((this.#byte() | 0x20) === 0x65) {
      this.#at += 1;
      if (this.#byte() === 0x2b || this.#byte() === 0x2d) this.#at += 1;
      this.#scanDigits();
    }
  }

  #scanDigits(): void {
    const start = this.#at;
    while (this.#byte() >= 0x30 && this.#byte() <= 0x39) this.#at += 1;
    if (this.#at === start) this.#fail('expected a digit');
  }

  #scanWord(first: number): void {
    const word = first === 0x74 ? 'true' : first === 0x66 ? 'false' : 'null';
    for (let index = 0; index < word.length; index += 1) {
      if (this.#bytes[this.#at + index] !== word.charCodeAt(index)) this.#fail('expected a value');
    }
    this.#at += word.length;
  }

  /** The current byte, or 0 at the end of the text. Valid JSON never contains a zero byte. */
  #byte(): number {
    return this.#at < this.#bytes.length ? (this.#bytes[this.#at] as number) : 0;
  }

  #skipSpace(): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    let at = this.#at;
    let byte = 0;
    while (at < length) {
      byte = bytes[at] as number;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
      at += 1;
    }
    this.#at = at;
    return at < length ? byte : 0;
  }

  #addNode(start: number, end: number, extra: number): void {
    const at = this.#nodes * nodeWords;
    if (at >= this.#words.length) this.#grow();
    this.#words[at] = start;
    this.#words[at + 1] = end;
    this.#words[at + 2] = extra;
    this.#nodes += 1;
  }

  /**
   * The value limit is checked only when the tape grows, so that no check per node is needed. The
   * limit on values is exact only if the limit is 4096 times a power of two.
   */
  #grow(): void {
    if (this.#nodes >= this.#limits.valuesMax) throw new JsonValuesError(this.#limits.valuesMax);
    const larger = new Uint32Array(this.#words.length * 2);
    larger.set(this.#words);
    this.#words = larger;
  }

  #fail(reason: string, offset = this.#at): never {
    throw new JsonSyntaxError(reason, offset);
  }
}
