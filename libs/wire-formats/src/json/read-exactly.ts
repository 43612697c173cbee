import type { JsonNode, JsonTape } from './json-tape.ts';

// TypeScript's standard library types lack `rawJSON`, which Node has since version 21.
// The ECMAScript proposal "JSON.parse source text access" defines `rawJSON`.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => object };

/** The digits of an integer that a double may not represent (2^53 has 16 digits). */
const longDigits = /\d{16,}/g;

/**
 * Creates an object for an integer that a double cannot represent. `JSON.stringify` serializes the object as
 * the integer's original digits.
 */
export function keepDigits(value: number, source: string): unknown {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(source) ? rawJSON(source) : value;
}

/**
 * Returns the JSON value that a tape describes. Long integers keep all digits. All values are parsed with
 * `JSON.parse`, and then the long integers are replaced. A reviver would be called for every JSON value,
 * which takes ten times as long.
 */
export function readExactly(tape: JsonTape): unknown {
  return new ExactReader(tape).read(tape.root, tape.value(tape.root));
}

class ExactReader {
  readonly #tape: JsonTape;
  /**
   * Offsets of all long sequences of digits, in ascending order. Digits inside strings are also included,
   * because extra offsets do not change the result.
   */
  readonly #places: readonly number[];

  constructor(tape: JsonTape) {
    this.#tape = tape;
    this.#places = Array.from(tape.bytes.toString('latin1').matchAll(longDigits), ({ index }) => index);
  }

  /**
   * Returns the value of a node without rounding long integers. The recursion depth is limited by the nesting
   * depth that the scan accepts.
   * @param value the same JSON value, but with rounded integers. Lists and objects are changed in place.
   */
  read(node: JsonNode, value: unknown): unknown {
    if (typeof value === 'number') return keepDigits(value, this.#tape.text(node));
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) this.#readItems(node, value as unknown[]);
    else this.#readMembers(node, value as Record<string, unknown>);
    return value;
  }

  #readItems(node: JsonNode, list: unknown[]): void {
    for (const [index, item] of this.#tape.items(node).entries())
      if (this.#hasLongDigits(item)) list[index] = this.read(item, list[index]);
  }

  #readMembers(node: JsonNode, object: Record<string, unknown>): void {
    const last = new Map<string, JsonNode>();
    for (const { key, value } of this.#tape.entries(node)) last.set(this.#tape.stringValue(key) ?? '', value);
    // `object` already has a field for each name, including `__proto__`.
    for (const [name, value] of last)
      if (this.#hasLongDigits(value)) object[name] = this.read(value, object[name]);
  }

  #hasLongDigits(node: JsonNode): boolean {
    const start = this.#tape.start(node);
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#places[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return (this.#places[low] ?? Infinity) < this.#tape.end(node);
  }
}
