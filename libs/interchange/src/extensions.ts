import type { ProviderFormat } from './request-outline.ts';

/** A parsed JSON object with fields that have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Fields that the interchange types do not define, grouped by format. Extensions also record the original
 * spelling of fields that the interchange types define. Extensions are rendered only to the same format.
 * Translation to another format drops the extensions.
 */
export type Extensions = { readonly [Format in ProviderFormat]?: JsonObject };

/** Extensions that can be modified in place, because their objects and lists are not shared with other extensions. */
export type OwnExtensions = { [Format in ProviderFormat]?: Record<string, unknown> };

/**
 * Fields with strings that arrive in chunks (the arguments of a legacy function call, and audio data with
 * its transcript).
 */
const growingTexts: ReadonlySet<string> = new Set(['arguments', 'data', 'transcript']);

/**
 * Merges `later` into `earlier` for each format. Lists are appended, objects are merged, and other values are
 * replaced. `earlier` is modified in place, because copying `earlier` for each chunk would take quadratic
 * time. `later` is not modified.
 */
export function mergeExtensions(earlier: OwnExtensions, later: Extensions): void {
  for (const [format, members] of Object.entries(later) as [ProviderFormat, JsonObject][]) {
    mergeObjects((earlier[format] ??= {}), members);
  }
}

function mergeObjects(earlier: Record<string, unknown>, later: JsonObject): void {
  for (const [name, value] of Object.entries(later)) {
    // Assigning to `__proto__` would change the prototype of the object instead of adding a field.
    if (name !== '__proto__') earlier[name] = mergeValues(name, earlier[name], value);
  }
}

function mergeValues(name: string, earlier: unknown, later: unknown): unknown {
  if (Array.isArray(later)) {
    const list: unknown[] = Array.isArray(earlier) ? earlier : [];
    for (const element of later as unknown[]) list.push(element);
    return list;
  }
  if (isObject(later)) {
    const object = isObject(earlier) ? earlier : {};
    mergeObjects(object, later);
    return object;
  }
  if (typeof earlier === 'string' && typeof later === 'string' && growingTexts.has(name))
    return earlier + later;
  return later;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
