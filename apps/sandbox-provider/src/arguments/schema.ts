import { RE2JS } from 're2js';

/** A JSON Schema sent by a client. A schema from a client may be invalid. */
export type Schema = Readonly<Record<string, unknown>>;

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readNumber(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function readList(schema: Schema, keyword: string): readonly unknown[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** The type names of JSON Schema, with common misspellings. */
const typeNames: Readonly<Record<string, TypeName>> = {
  string: 'string',
  str: 'string',
  number: 'number',
  float: 'number',
  double: 'number',
  integer: 'integer',
  int: 'integer',
  boolean: 'boolean',
  bool: 'boolean',
  array: 'array',
  list: 'array',
  tuple: 'array',
  object: 'object',
  dict: 'object',
  null: 'null',
};

/**
 * Returns the type of the value to create. The type is the first type that is not null, or the type that other
 * keywords imply.
 */
export function typeOf(schema: Schema): TypeName {
  const given = Array.isArray(schema['type']) ? (schema['type'] as unknown[]) : [schema['type']];
  const known = given.flatMap((name) =>
    typeof name === 'string' ? (typeNames[name.toLowerCase()] ?? []) : [],
  );
  const chosen = known.find((name) => name !== 'null') ?? known[0];
  if (chosen !== undefined) return chosen;
  if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object';
  if (schema['items'] !== undefined) return 'array';
  if (schema['minimum'] !== undefined || schema['maximum'] !== undefined) return 'number';
  return 'string';
}

/**
 * Resolves a local `$ref` and merges the subschemas in `allOf`. A broken reference is treated as an empty
 * schema.
 */
export function resolveSchema(root: Schema, value: unknown): Schema {
  let schema: Schema = isObject(value) ? value : {};
  // The limit stops circular references, and any sensible chain has fewer than sixteen references.
  for (let step = 0; step < 16 && typeof schema['$ref'] === 'string'; step += 1) {
    const { $ref: reference, ...rest } = schema;
    schema = { ...lookUp(root, reference), ...rest };
  }
  const parts = readList(schema, 'allOf').slice(0, 32).filter(isObject);
  return parts.reduce<Schema>((whole, part) => {
    const { $ref: reference, ...rest } = part;
    const own = typeof reference === 'string' ? { ...lookUp(root, reference), ...rest } : part;
    return {
      ...whole,
      ...own,
      properties: { ...(whole['properties'] as object), ...(own['properties'] as object) },
      required: [...readList(whole, 'required'), ...readList(own, 'required')],
    };
  }, schema);
}

function lookUp(root: Schema, reference: string): Schema {
  if (!reference.startsWith('#')) return {};
  let found: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(found) || !Object.hasOwn(found, key)) return {};
    found = found[key];
  }
  return isObject(found) ? found : {};
}

/**
 * Limits for a client's regular expression and for the strings that are tested against it. RE2 needs linear
 * time for any regular expression. RE2 does not support look-around and back-references. If an expression needs
 * look-around or back-references, every string is accepted.
 */
const patternTextCharsMax = 24;
const patternCharsMax = 500;

function matchesPattern(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string') return true;
  if (pattern.length > patternCharsMax || text.length > patternTextCharsMax) return false;
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern)).matcher(text).find();
  } catch {
    return true;
  }
}

export function stringFits(schema: Schema, text: string): boolean {
  const { length } = Array.from(text);
  return (
    length >= (readNumber(schema, 'minLength') ?? 0) &&
    length <= (readNumber(schema, 'maxLength') ?? Infinity) &&
    matchesPattern(schema['pattern'], text)
  );
}

/**
 * Whether a number satisfies its schema. Draft 4 of JSON Schema is also supported, where `exclusiveMinimum:
 * true` modifies `minimum`.
 */
export function numberFits(schema: Schema, value: number): boolean {
  const minimum = readNumber(schema, 'minimum') ?? -Infinity;
  const maximum = readNumber(schema, 'maximum') ?? Infinity;
  const above =
    readNumber(schema, 'exclusiveMinimum') ?? (schema['exclusiveMinimum'] === true ? minimum : -Infinity);
  const below =
    readNumber(schema, 'exclusiveMaximum') ?? (schema['exclusiveMaximum'] === true ? maximum : Infinity);
  const step = readNumber(schema, 'multipleOf');
  return (
    value >= minimum &&
    value <= maximum &&
    (value > above || above === -Infinity) &&
    (value < below || below === Infinity) &&
    (typeOf(schema) !== 'integer' || Number.isInteger(value)) &&
    (step === undefined || step <= 0 || Math.abs(value / step - Math.round(value / step)) < 1e-9)
  );
}

/**
 * Whether a value satisfies its schema. Default values and examples in schemas often do not satisfy the
 * schema.
 */
export function scalarFits(schema: Schema, value: unknown): boolean {
  switch (typeOf(schema)) {
    case 'string':
      return typeof value === 'string' && stringFits(schema, value);
    case 'number':
    case 'integer':
      return typeof value === 'number' && numberFits(schema, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    default:
      return false;
  }
}
