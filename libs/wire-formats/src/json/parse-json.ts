import type { JsonObject } from '@gateway/interchange';
import { GatewayError } from '@gateway/errors';
import { asObject } from './read-members.ts';
import type { JsonTape } from './json-tape.ts';
import { keepDigits, readExactly } from './read-exactly.ts';
import { scanJson } from './scan-json.ts';

/** Matches text with long integers, which a double may not represent exactly (2^53 has 16 digits). */
const longNumber = /\d{16}/;

// TypeScript's standard library types lack the reviver's third parameter, which Node 21 and later support.
// The ECMAScript proposal "JSON.parse source text access" defines the third parameter.
type Reviver = (key: string, value: unknown) => unknown;

/**
 * Parses JSON text that will be serialized again. Integers that a double cannot represent become objects.
 * `JSON.stringify` writes these objects with the original digits. `JSON.parse` parses all other values.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const tape = scanExactly(text);
  return tape === undefined ? JSON.parse(text, keepLongInteger as Reviver) : readExactly(tape);
}

function keepLongInteger(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source } = context;
  return source === undefined || typeof value !== 'number' ? value : keepDigits(value, source);
}

/**
 * Parses JSON text. Returns undefined for text that is not JSON, is nested too deeply, or would change if it
 * were encoded again.
 */
function scanExactly(text: string): JsonTape | undefined {
  if (!text.isWellFormed()) return undefined;
  try {
    return scanJson(Buffer.from(text), { depthMax: providerDepthMax });
  } catch {
    return undefined;
  }
}

/** Maximum nesting depth of tool arguments, the same as in request bodies. A deeper value could overflow the stack. */
const argumentsDepthMax = 128;

/**
 * Parses a JSON object embedded in a request as text, such as the arguments of a tool call. Returns undefined
 * if the text is not an object or is nested too deeply.
 */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const tape = scanJson(Buffer.from(text), { depthMax: argumentsDepthMax });
    return asObject(tape.value(tape.root));
  } catch {
    return undefined;
  }
}

/**
 * Maximum nesting depth of a response. Comparing or serializing deeper responses could overflow the stack
 * (`JSON.stringify` fails at about 5,000 levels).
 */
const providerDepthMax = 512;

/**
 * Maximum number of characters for which counting brackets is faster than scanning. Most responses and almost
 * all stream chunks are shorter.
 */
const unscannedLengthMax = 65_536;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const opener = /[[{]/g;

function decode(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** The nesting depth of a text cannot exceed the number of opening brackets. */
function isShallow(text: string): boolean {
  return text.length <= providerDepthMax || (text.match(opener)?.length ?? 0) <= providerDepthMax;
}

/**
 * Parses JSON from a provider. A custom `parse` can preserve values that `JSON.parse` would change, such as
 * long integers.
 * @throws GatewayError `upstream_invalid` if the text is not JSON, not UTF-8, or nested too deeply.
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
    throw new GatewayError('upstream_invalid', { detail: 'the provider did not send valid JSON', cause });
  }
}
