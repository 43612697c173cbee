import type { Extensions } from './extensions.ts';
import type { JsonObject } from './json-value.ts';

/** Texts that arrive in pieces: arguments of a legacy function call, sound and its transcript. */
const growingTexts: ReadonlySet<string> = new Set(['arguments', 'data', 'transcript']);

/** Later members added to earlier ones, format by format: lists grow, objects merge, all else is replaced. */
export function mergeExtensions(earlier: Extensions, later: Extensions): Extensions {
  const merged: Record<string, JsonObject> = { ...earlier };
  for (const [format, members] of Object.entries(later)) {
    merged[format] = mergeObjects(merged[format] ?? {}, members);
  }
  return merged;
}

function mergeObjects(earlier: JsonObject, later: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [name, value] of Object.entries(later)) {
    // Assigning to `__proto__` would change the object instead of adding a member.
    if (name !== '__proto__') merged[name] = mergeValues(name, merged[name], value);
  }
  return merged;
}

function mergeValues(name: string, earlier: unknown, later: unknown): unknown {
  if (Array.isArray(earlier) && Array.isArray(later))
    return [...(earlier as unknown[]), ...(later as unknown[])];
  if (isObject(earlier) && isObject(later)) return mergeObjects(earlier, later);
  if (typeof earlier === 'string' && typeof later === 'string' && growingTexts.has(name))
    return earlier + later;
  return later;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
