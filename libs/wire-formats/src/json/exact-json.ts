/** Integers that a double does not hold come with at least as many digits. */
const longNumber = /\d{16}/;
const integer = /^-?\d+$/;

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
}

/** Of ES2026 (proposal-json-parse-with-source), which Node has and TypeScript's library does not name yet. */
const exactJson = JSON as unknown as ExactJson;

/**
 * What `JSON.parse` reads, but for integers beyond 2^53: they come as objects that `JSON.stringify` writes digit by digit
 * as they were. For values that are carried, and whose numbers nobody here computes with: the arguments of a tool.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text) as unknown;
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value) && integer.test(source)
      ? exactJson.rawJSON(source)
      : value,
  );
}
