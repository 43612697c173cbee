import type { ProviderFormat } from './request-outline.ts';

/** A parsed JSON object. Its fields are unchecked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Fields that the interchange does not define, per format. They also record how a format spelled fields that the
 * interchange does define. They are rendered to the same format only. In a translation to another format they are lost.
 */
export type Extensions = { readonly [Format in ProviderFormat]?: JsonObject };

/** Mutable extensions. Their objects and lists are not shared. */
export type OwnExtensions = { [Format in ProviderFormat]?: Record<string, unknown> };

/** Strings that arrive in pieces: the arguments of a legacy function call, audio data and its transcript. */
const growingTexts: ReadonlySet<string> = new Set(['arguments', 'data', 'transcript']);

/**
 * Merges `later` into `earlier`, per format: lists are appended, objects are merged, other values are replaced. `earlier`
 * is changed in place, because a copy per piece would take quadratic time. `later` is not changed.
 */
export function mergeExtensions(earlier: OwnExtensions, later: Extensions): void {
  for (const [format, members] of Object.entries(later) as [ProviderFormat, JsonObject][]) {
    mergeObjects((earlier[format] ??= {}), members);
  }
}

function mergeObjects(earlier: Record<string, unknown>, later: JsonObject): void {
  for (const [name, value] of Object.entries(later)) {
    // Assigning to `__proto__` would change the object instead of adding a field.
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
