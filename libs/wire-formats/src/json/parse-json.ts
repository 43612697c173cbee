import type { JsonObject } from '@gateway/interchange';
import { GatewayError } from '@gateway/errors';
import { asObject } from './read-members.ts';
import { scanJson } from './scan-json.ts';

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

/** As in a request's body: writing it again must not exhaust the stack. */
const argumentsDepthMax = 128;

/** The object that a text within a request says (the arguments of a call). Undefined for what is none, or too deep. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const tape = scanJson(Buffer.from(text), { depthMax: argumentsDepthMax });
    return asObject(tape.value(tape.root));
  } catch {
    return undefined;
  }
}

/** Deeper answers would exhaust the stack when they are compared or written again (`JSON.stringify` gives up at 5,000). */
const providerDepthMax = 512;

/** Up to this length, counting brackets is cheaper than scanning: most answers, and all but few chunks of streams. */
const unscannedLengthMax = 65_536;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const opener = /[[{]/g;

function decode(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** A text without that many opening brackets cannot be that deep, wherever they stand. */
function isShallow(text: string): boolean {
  return text.length <= providerDepthMax || (text.match(opener)?.length ?? 0) <= providerDepthMax;
}

/**
 * What a provider sent, as a value. `parse` may keep more of it than `JSON.parse`.
 *
 * @throws GatewayError `upstream_invalid` for what is no JSON, no UTF-8, or too deep.
 */
export function parseProviderJson(
  given: string | Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  try {
    if (given.length <= unscannedLengthMax) {
      const text = typeof given === 'string' ? given : decode(given);
      if (isShallow(text)) return parse(text);
    }
    const tape = scanJson(typeof given === 'string' ? Buffer.from(given) : given, {
      depthMax: providerDepthMax,
    });
    return parse(tape.text(tape.root));
  } catch (cause) {
    throw new GatewayError('upstream_invalid', { detail: 'the provider did not send readable JSON', cause });
  }
}
