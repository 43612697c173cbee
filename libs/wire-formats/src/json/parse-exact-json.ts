/** A text that may hold a whole number beyond what a double can tell (2^53 has 16 digits). */
const longNumber = /\d{16}/;

// Neither is in TypeScript's library yet (ECMAScript proposal "JSON.parse source text access", in Node since 21).
type Reviver = (key: string, value: unknown) => unknown;
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => object };

/**
 * The value of a JSON text that is to be written again: whole numbers that a double cannot tell become objects that
 * `JSON.stringify` writes as they were. Everything else is as `JSON.parse` gives it.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepLongInteger as Reviver) : JSON.parse(text);
}

function keepLongInteger(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source } = context;
  if (source === undefined || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(source) ? rawJSON(source) : value;
}
