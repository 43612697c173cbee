import type { AuditChanges } from '@gateway/contracts';

/** Maximum length of a field value as JSON. For a longer value, only the size is recorded. */
const valueLengthMax = 1_024;

/**
 * Lists the fields that differ between two objects, each with its content before and after the change. A
 * field in a nested object is named by its path. Callers must pass only objects from API responses, because
 * API responses never contain secrets.
 */
export function diffFields(before: object, after: object): AuditChanges {
  const [from, to] = [flatten(before), flatten(after)];
  const changes: AuditChanges = {};
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old = null, now = null] = [from[field], to[field]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    changes[field] = { from: boundValue(old), to: boundValue(now) };
  }
  return changes;
}

function flatten(object: object, path = ''): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      Object.assign(fields, flatten(value as object, `${path}${name}.`));
    else fields[`${path}${name}`] = value as unknown;
  }
  return fields;
}

function boundValue(value: unknown): unknown {
  if (JSON.stringify(value).length <= valueLengthMax) return value;
  return Array.isArray(value) ? { items: value.length } : { characters: String(value).length };
}
