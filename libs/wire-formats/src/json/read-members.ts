import type { JsonObject } from '@gateway/interchange';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/**
 * Maximum token count, far above any real token count. Totals of valid token counts stay within the safe
 * integer range.
 */
const tokensMax = 1_000_000_000_000;

/**
 * Returns a rounded token count. Returns undefined for a negative, very large or non-numeric count, which the
 * request log would reject.
 */
export function asTokens(value: unknown): number | undefined {
  const tokens = typeof value === 'number' ? Math.round(value) : Number.NaN;
  return tokens >= 0 && tokens <= tokensMax ? tokens : undefined;
}

/** Returns the elements of a list. Returns an empty list if the value is not a list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

const noMembers: JsonObject = Object.freeze({});

/**
 * Returns the non-null fields that are not listed in `named`. The function allocates no lists, because it
 * runs for every chunk of every stream.
 */
export function otherMembers(object: JsonObject, named: readonly string[]): JsonObject {
  let others: Record<string, unknown> | undefined;
  for (const name in object) {
    const value = object[name];
    // Assigning to `__proto__` would change the object's prototype instead of adding a field.
    if (value === null || named.includes(name) || name === '__proto__') continue;
    (others ??= {})[name] = value;
  }
  return others ?? noMembers;
}

export function isEmpty(object: JsonObject): boolean {
  for (const name in object) if (Object.hasOwn(object, name)) return false;
  return true;
}

/**
 * An object that is built field by field. Code that runs very often builds objects field by field, because
 * spreading `optional` is slow.
 */
export type Draft<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/**
 * An object with one field, which the caller spreads into another object. The object is empty if the value is
 * null, undefined or an empty object.
 */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value,
): { [Key in Name]?: NonNullable<Value> } {
  const absent = value === undefined || value === null || (isObject(value) && isEmpty(value));
  return (absent ? {} : { [name]: value }) as { [Key in Name]?: NonNullable<Value> };
}
