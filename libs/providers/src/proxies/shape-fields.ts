import type { JsonFields } from '../provider/proxy-route.ts';

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object without the given fields. */
export function without(fields: JsonFields, ...names: readonly string[]): JsonFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Returns only the fields that are neither undefined nor null. */
export function present(fields: JsonFields): JsonFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Returns an object with some of its fields renamed. `names` maps old names to new names. */
export function renamed(fields: JsonFields, names: Readonly<Record<string, string>>): JsonFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]));
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function fieldsOf(value: unknown): JsonFields {
  return isFields(value) ? value : {};
}

export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

/** Parses an image or video size such as `1280x720`. */
export function sizeOf(value: unknown): { readonly width: number; readonly height: number } | undefined {
  const found = typeof value === 'string' ? /^(\d{1,5})x(\d{1,5})$/.exec(value) : null;
  return found === null ? undefined : { width: Number(found[1]), height: Number(found[2]) };
}

/**
 * Finds the aspect ratio closest to an image or video size, for example `16:9`. Returns one of the aspect
 * ratios that models accept.
 */
export function aspectOf(size: { readonly width: number; readonly height: number }): string {
  const wanted = size.width / size.height;
  const distance = (name: string): number => {
    const [across = 1, down = 1] = name.split(':').map(Number);
    return Math.abs(Math.log(across / down / wanted));
  };
  return aspects.toSorted((one, other) => distance(one) - distance(other))[0] ?? '1:1';
}

const aspects: readonly string[] = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'];
