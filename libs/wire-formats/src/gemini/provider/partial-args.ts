import { GatewayError } from '@gateway/errors';
import type { JsonObject } from '@gateway/interchange';
import { asNumber, asText, isObject } from '../../json/read-members.ts';
import { camelMembers } from '../camel-members.ts';

type Key = string | number;

/** Deeper arguments are no arguments. */
const pathDepthMax = 64;
const pathStep = /\.([^.[\]]+)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/gy;

/**
 * Arguments with one more piece in them. A piece is a value and its place (`$.a.b[0]`); text at a place where there is
 * text already goes on there. The object given is left as it is.
 *
 * @throws GatewayError `upstream_invalid` for a place that cannot be.
 */
export function addPartialArg(args: JsonObject, raw: JsonObject): JsonObject {
  const piece = camelMembers(raw);
  const path = parsePath(asText(piece.jsonPath) ?? '');
  return putValue(args, path, readValue(piece, raw)) as JsonObject;
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

function putValue(holder: unknown, path: readonly Key[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined)
    return typeof holder === 'string' && typeof value === 'string' ? holder + value : value;
  if (typeof key === 'string') {
    const object = isObject(holder) ? holder : {};
    const inner = Object.hasOwn(object, key) ? object[key] : undefined;
    return { ...object, [key]: putValue(inner, rest, value) };
  }
  const list: readonly unknown[] = Array.isArray(holder) ? holder : [];
  // Elements come in order: an index beyond the end would make a list as long as somebody says.
  if (key > list.length) throw invalidPath();
  return key === list.length
    ? [...list, putValue(undefined, rest, value)]
    : list.with(key, putValue(list[key], rest, value));
}

function invalidPath(): GatewayError {
  return new GatewayError('upstream_invalid', {
    detail: 'a place among the arguments of a call that cannot be',
  });
}
