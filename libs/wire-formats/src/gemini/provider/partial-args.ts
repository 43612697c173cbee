import { GatewayError } from '@gateway/errors';
import type { JsonObject } from '@gateway/interchange';
import { asNumber, asText, isObject } from '../../json/read-members.ts';
import { camelMembers } from '../shared/own-members.ts';

type Key = string | number;

/** Maximum depth of an argument path. The arguments of real tool calls are nested less deeply than the maximum. */
const pathDepthMax = 64;
const pathStep = /\.([^.[\]]+)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/gy;

/**
 * The arguments of an open tool call, as a mutable object. No other code holds references to the objects and
 * lists in the arguments.
 */
export type OpenArguments = Record<string, unknown>;

/**
 * Adds a partial argument to the tool call's arguments. A partial argument is a value with a path
 * (`$.a.b[0]`). A string is appended to an existing string at the same path. The arguments are changed in
 * place, because copying them for every partial argument would take quadratic time.
 * @throws GatewayError `upstream_invalid` for an invalid path
 */
export function addPartialArg(args: OpenArguments, raw: JsonObject): void {
  const piece = camelMembers(raw);
  const path = parsePath(asText(piece.jsonPath) ?? '');
  const value = readValue(piece, raw);
  let holder: unknown = args;
  for (const [depth, key] of path.entries()) {
    const keyAfter = path[depth + 1];
    const earlier = valueAt(holder, key);
    const next = keyAfter === undefined ? extend(earlier, value) : openHolder(earlier, keyAfter);
    if (next !== earlier) setValue(holder, key, next);
    holder = next;
  }
}

function readValue(piece: JsonObject, raw: JsonObject): unknown {
  const { stringValue, numberValue, boolValue } = piece;
  // Gemini sends a null argument as the string NULL_VALUE or as null. `camelMembers` drops nulls.
  if (piece.nullValue !== undefined || 'nullValue' in raw || 'null_value' in raw) return null;
  return asText(stringValue) ?? asNumber(numberValue) ?? (typeof boolValue === 'boolean' ? boolValue : '');
}

function parsePath(path: string): readonly Key[] {
  const steps = [...path.slice(1).matchAll(pathStep)];
  const length = steps.reduce((total, [step]) => total + step.length, 1);
  if (!path.startsWith('$') || length !== path.length || steps.length === 0 || steps.length > pathDepthMax)
    throw invalidPath();
  return steps.map(([, name, index, quoted, doubleQuoted]) =>
    index === undefined ? (name ?? quoted ?? doubleQuoted ?? '') : Number(index),
  );
}

function extend(earlier: unknown, value: unknown): unknown {
  return typeof earlier === 'string' && typeof value === 'string' ? earlier + value : value;
}

/** Returns the stored list or object, or an empty one if the key has no value of that type. */
function openHolder(earlier: unknown, key: Key): unknown {
  if (typeof key === 'number') return Array.isArray(earlier) ? earlier : [];
  return isObject(earlier) ? earlier : {};
}

function valueAt(holder: unknown, key: Key): unknown {
  return Object.hasOwn(holder as object, key) ? (holder as Record<Key, unknown>)[key] : undefined;
}

function setValue(holder: unknown, key: Key, value: unknown): void {
  // List elements arrive in order.
  // An index beyond the end is rejected, because a large index could allocate a list of any length.
  if (Array.isArray(holder) && (key as number) > holder.length) throw invalidPath();
  // Assigning to `__proto__` would change the object's prototype instead of adding a field.
  Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true });
}

function invalidPath(): GatewayError {
  return new GatewayError('upstream_invalid', {
    detail: 'the arguments of a tool call have an invalid path',
  });
}
