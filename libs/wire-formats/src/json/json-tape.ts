import type { ByteRange } from '@gateway/interchange';

/** The index of a JSON value on a tape, in text order. An index is valid only for the tape that returned it. */
export type JsonNode = number;

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** The key node and the value node of one object field. */
export interface JsonEntry {
  readonly key: JsonNode;
  readonly value: JsonNode;
}

/** Number of words per node on the tape: a start offset, an end offset and a third word (see `JsonTape`). */
export const nodeWords = 3;

/** Limits for a JSON text. An absent field means no limit. */
export interface JsonLimits {
  readonly depthMax: number;
  /** Maximum total number of values and keys. */
  readonly valuesMax?: number;
  /** Maximum number of fields in one object. */
  readonly fieldsMax?: number;
}

/**
 * A position after an element of a JSON text, at which a scan of another text can start. Both texts must have the
 * same bytes up to and including the byte at the position, because a longer text may continue a number.
 */
export interface ScanPoint {
  /** Offset after the last byte of the element. */
  readonly at: number;
  /** The positions of all values and keys before `at`. */
  readonly words: Uint32Array;
  /** The containers around the element, outermost first. */
  readonly open: readonly JsonNode[];
}

/** The number of fields in a complete object on a tape, including repeated keys. */
export function countFields(bytes: Uint8Array, words: Uint32Array, object: JsonNode): number {
  const end = words[object * nodeWords + 2] ?? 0;
  let fields = 0;
  for (let key = object + 1; key < end; fields += 1) {
    const value = (key + 1) * nodeWords;
    const first = bytes[words[value] ?? 0];
    key = first === 0x7b || first === 0x5b ? (words[value + 2] ?? end) : key + 2;
  }
  return fields;
}

const kindByFirstByte: readonly (JsonKind | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const first = String.fromCharCode(byte);
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  if (first === 't' || first === 'f') return 'boolean';
  if (first === 'n') return 'null';
  return first === '-' || (first >= '0' && first <= '9') ? 'number' : undefined;
});

/**
 * Validated JSON text and the positions of its values, without a tree. Each value and each key takes three
 * 32-bit words. The first two words are the offset of the first byte and the offset after the last byte.
 * Values and keys have the same order as in the JSON text. For an array or object, the third word is the node
 * that follows the array or object. For a string, the third word is 1 if the string contains an escape. If an
 * object repeats a key, the last occurrence is used, as with `JSON.parse`.
 */
export class JsonTape {
  readonly bytes: Buffer;
  readonly #words: Uint32Array;

  /** Only `scanJson` calls the constructor. `words` may have unused space at the end. */
  constructor(bytes: Uint8Array, words: Uint32Array) {
    this.bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#words = words;
  }

  get root(): JsonNode {
    return 0;
  }

  kind(node: JsonNode): JsonKind {
    return kindByFirstByte[this.bytes[this.start(node)] ?? 0] ?? 'null';
  }

  start(node: JsonNode): number {
    return this.#words[node * nodeWords] ?? 0;
  }

  end(node: JsonNode): number {
    return this.#words[node * nodeWords + 1] ?? 0;
  }

  range(node: JsonNode): ByteRange {
    return { start: this.start(node), end: this.end(node) };
  }

  /** Returns the memory that the positions occupy, in bytes. */
  get memoryBytes(): number {
    return this.#words.byteLength;
  }

  /** Returns the node that follows the given node and its descendants. */
  after(node: JsonNode): JsonNode {
    const first = this.bytes[this.start(node)];
    return first === 0x7b || first === 0x5b ? (this.#words[node * nodeWords + 2] ?? 0) : node + 1;
  }

  /**
   * Returns the last position before the offset that follows a field of the body, or an element of an array in such a
   * field. Returns undefined if there is no such position.
   */
  pointBefore(offset: number): ScanPoint | undefined {
    let point: ScanPoint | undefined;
    const open: JsonNode[] = [];
    for (let container: JsonNode = this.root; open.length < 2;) {
      open.push(container);
      const keys = this.kind(container) === 'object' ? 1 : 0;
      const end = this.after(container);
      let value = container + 1 + keys;
      let ended: JsonNode | undefined;
      for (; value < end && this.end(value) < offset; value = this.after(value) + keys) ended = value;
      if (ended !== undefined) {
        const words = this.#words.subarray(0, this.after(ended) * nodeWords);
        point = { at: this.end(ended), words, open: [...open] };
      }
      if (value >= end || this.kind(value) !== 'array') break;
      container = value;
    }
    return point;
  }

  /** Returns the elements of an array. Returns an empty list if the node is not an array. */
  items(node: JsonNode): JsonNode[] {
    const found: JsonNode[] = [];
    if (this.kind(node) !== 'array') return found;
    const end = this.after(node);
    for (let item = node + 1; item < end; item = this.after(item)) found.push(item);
    return found;
  }

  /** Returns the fields of an object, including repeated keys. Returns an empty list if the node is not an object. */
  entries(node: JsonNode): JsonEntry[] {
    const found: JsonEntry[] = [];
    if (this.kind(node) !== 'object') return found;
    const end = this.after(node);
    for (let key = node + 1; key < end; key = this.after(key + 1)) found.push({ key, value: key + 1 });
    return found;
  }

  /** Returns the value of a field. Returns undefined if the field is missing or the node is not an object. */
  get(node: JsonNode, name: string): JsonNode | undefined {
    if (this.kind(node) !== 'object') return undefined;
    const end = this.after(node);
    let found: JsonNode | undefined;
    for (let key = node + 1; key < end; key = this.after(key + 1)) {
      if (this.isString(key, name)) found = key + 1;
    }
    return found;
  }

  /** Returns whether a node is a string that decodes to `text`. */
  isString(node: JsonNode, text: string): boolean {
    const start = this.start(node);
    if (this.bytes[start] !== 0x22) return false;
    if (this.#words[node * nodeWords + 2] === 1) return this.#decodesTo(node, text);
    const length = this.end(node) - start - 2;
    // Each UTF-16 unit takes one to three bytes in UTF-8.
    if (length < text.length || length > text.length * 3) return false;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) return this.bytes.toString('utf8', start + 1, start + 1 + length) === text;
      if (this.bytes[start + 1 + index] !== unit) return false;
    }
    return length === text.length;
  }

  /**
   * Compares an escaped JSON string with a text, up to the first difference. Decoding every key of
   * a large object for each field that the gateway reads would take seconds.
   */
  #decodesTo(node: JsonNode, text: string): boolean {
    const { bytes } = this;
    const end = this.end(node) - 1;
    let at = this.start(node) + 1;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      const byte = at < end ? (bytes[at] ?? 0) : 0;
      if (byte > 0x7f && unit > 0x7f) return this.stringValue(node) === text;
      if (byte === backslash) {
        if (readEscape(bytes, at) !== unit) return false;
        at += bytes[at + 1] === letterU ? 6 : 2;
      } else {
        if (byte !== unit || at >= end) return false;
        at += 1;
      }
    }
    return at === end;
  }

  /**
   * Returns whether any of the texts is a key or a string value anywhere on the tape. Strings that contain an
   * escape are not compared.
   */
  hasString(texts: readonly string[]): boolean {
    const words = this.#words;
    const lengths = new Set(texts.map((text) => text.length + 2));
    const end = this.after(this.root) * nodeWords;
    for (let at = 0; at < end; at += nodeWords) {
      if (!lengths.has((words[at + 1] ?? 0) - (words[at] ?? 0)) || words[at + 2] === 1) continue;
      const node = at / nodeWords;
      if (texts.some((text) => this.isString(node, text))) return true;
    }
    return false;
  }

  /** Decodes a JSON string. Returns undefined if the node is not a string. */
  stringValue(node: JsonNode | undefined): string | undefined {
    if (node === undefined || this.kind(node) !== 'string') return undefined;
    const start = this.start(node);
    const end = this.end(node);
    if (this.#words[node * nodeWords + 2] === 1)
      return JSON.parse(this.bytes.toString('utf8', start, end)) as string;
    return this.bytes.toString('utf8', start + 1, end - 1);
  }

  /** Returns a value's original JSON text. */
  text(node: JsonNode): string {
    return this.bytes.toString('utf8', this.start(node), this.end(node));
  }

  /**
   * Parses a value with `JSON.parse`. Call this method only for small values, because the method builds a
   * tree.
   */
  value(node: JsonNode): unknown {
    return JSON.parse(this.text(node));
  }
}

const backslash = 0x5c;
const letterU = 0x75;
const simpleEscapes: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
);

/** Returns the UTF-16 code unit for the valid escape sequence at this offset. */
function readEscape(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (letter !== letterU) return simpleEscapes.get(letter) ?? -1;
  return Number.parseInt(bytes.toString('latin1', at + 2, at + 6), 16);
}

/** Thrown if the text is not valid JSON (RFC 8259) or not valid UTF-8. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** The byte offset at which parsing stopped. */
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(`${reason} at byte ${offset}`);
    this.offset = offset;
  }
}

/** Thrown if the JSON text has more values and keys than allowed. */
export class JsonValuesError extends Error {
  override readonly name = 'JsonValuesError';

  constructor(valuesMax: number) {
    super(`more than ${valuesMax} values and keys`);
  }
}

/** Thrown if an object has more fields than allowed. */
export class JsonFieldsError extends Error {
  override readonly name = 'JsonFieldsError';

  constructor(fieldsMax: number) {
    super(`an object with more than ${fieldsMax} fields`);
  }
}

/** Thrown if containers in the JSON text are nested more deeply than allowed. */
export class JsonDepthError extends Error {
  override readonly name = 'JsonDepthError';
  /** The byte offset of the first container that is nested too deeply. */
  readonly offset: number;

  constructor(depthMax: number, offset: number) {
    super(`more than ${depthMax} nested levels at byte ${offset}`);
    this.offset = offset;
  }
}
