import { GatewayError } from '@gateway/errors';
import type { JsonObject } from '@gateway/interchange';
import { asNumber, asText, isObject } from '../../json/read-members.ts';
import { camelMembers } from '../shared/own-members.ts';

type Key = string | number;

/** Deeper arguments are no arguments. */
const pathDepthMax = 64;
const pathStep = /\.([^.[\]]+)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/gy;

/** The arguments of a call that goes on: their objects and lists are nobody else's. */
export type OpenArguments = Record<string, unknown>;

/**
 * Puts one more piece into the arguments. A piece is a value and its place (`$.a.b[0]`); text at a place where there is
 * text already goes on there. They are changed: a copy for each piece would take the square of their number.
 *
 * @throws GatewayError `upstream_invalid` for a place that cannot be.
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
  // The word NULL_VALUE, or a null, which `camelMembers` leaves out.
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

/** What has a place of its own for the key: what is there already, if it is of that kind. */
function openHolder(earlier: unknown, key: Key): unknown {
  if (typeof key === 'number') return Array.isArray(earlier) ? earlier : [];
  return isObject(earlier) ? earlier : {};
}

function valueAt(holder: unknown, key: Key): unknown {
  return Object.hasOwn(holder as object, key) ? (holder as Record<Key, unknown>)[key] : undefined;
}

function setValue(holder: unknown, key: Key, value: unknown): void {
  // Elements come in order: an index beyond the end would make a list as long as somebody says.
  if (Array.isArray(holder) && (key as number) > holder.length) throw invalidPath();
  // Assigning to `__proto__` would change the object instead of adding a member.
  Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true });
}

function invalidPath(): GatewayError {
  return new GatewayError('upstream_invalid', {
    detail: 'a place among the arguments of a call that cannot be',
  });
}
