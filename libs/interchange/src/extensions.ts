import type { ProviderFormat } from './request-outline.ts';

/** A JSON object as parsed: what its members are is for its reader to find out. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What a format says beyond the interchange: members that we do not know, and the spelling of those we do. They are
 * re-emitted to the same format alone; to another they are a loss.
 */
export type Extensions = { readonly [Format in ProviderFormat]?: JsonObject };

/** Extensions whose objects and lists are nobody else's. */
export type OwnExtensions = { [Format in ProviderFormat]?: Record<string, unknown> };

/** Texts that arrive in pieces: arguments of a legacy function call, sound and its transcript. */
const growingTexts: ReadonlySet<string> = new Set(['arguments', 'data', 'transcript']);

/**
 * Adds later members to earlier ones, format by format: lists grow, objects merge, all else is replaced. The earlier ones
 * are changed: a copy for each of many pieces would take the square of their number. The later ones are left as they are.
 */
export function mergeExtensions(earlier: OwnExtensions, later: Extensions): void {
  for (const [format, members] of Object.entries(later) as [ProviderFormat, JsonObject][]) {
    mergeObjects((earlier[format] ??= {}), members);
  }
}

function mergeObjects(earlier: Record<string, unknown>, later: JsonObject): void {
  for (const [name, value] of Object.entries(later)) {
    // Assigning to `__proto__` would change the object instead of adding a member.
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
