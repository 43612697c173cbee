import type { JsonObject } from '@gateway/interchange';
import { isObject } from '../../json/read-members.ts';

/**
 * Fields in the API's `Schema` type (ai.google.dev/api/caching#Schema), a subset of OpenAPI's schema. The
 * listed fields have the same meaning as in JSON Schema.
 */
const schemaMembers = new Set([
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'anyOf',
  'propertyOrdering',
]);

/** Values of the field `format` that the API's `Schema` type accepts. The API rejects all other values. */
const schemaFormats = new Set(['float', 'double', 'int32', 'int64', 'enum', 'date-time']);

/**
 * Whether the API's `Schema` type can express a JSON Schema. Schemas with other fields (`$ref`,
 * `additionalProperties`, `const`, lists of types, …) are sent as JSON Schema. Newer models and API versions
 * accept JSON Schema.
 */
export function isPlainSchema(schema: unknown): boolean {
  if (!isObject(schema) || typeof schema.type !== 'string') return false;
  const { properties, items, anyOf, enum: choices, format } = schema;
  return (
    Object.keys(schema).every((name) => schemaMembers.has(name)) &&
    (format === undefined || schemaFormats.has(format as string)) &&
    // In `Schema`, an enum can contain only strings.
    (choices === undefined ||
      (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string'))) &&
    (properties === undefined || (isObject(properties) && Object.values(properties).every(isPlainSchema))) &&
    (items === undefined || isPlainSchema(items)) &&
    (anyOf === undefined || (Array.isArray(anyOf) && anyOf.every(isPlainSchema)))
  );
}

/** Converts the API's `Schema` to JSON Schema, with types in lower case and `nullable` as a type. */
export function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (!isObject(schema)) return schema;
  const { nullable, property_ordering: ordering, ...members } = schema;
  const converted: Record<string, unknown> = { ...members };
  if (ordering !== undefined) converted.propertyOrdering = ordering;
  if (typeof schema.type === 'string') {
    const type = schema.type.toLowerCase();
    converted.type = nullable === true ? [type, 'null'] : type;
  }
  if (isObject(schema.properties)) converted.properties = mapValues(schema.properties, toJsonSchema);
  if (schema.items !== undefined) converted.items = toJsonSchema(schema.items);
  if (Array.isArray(schema.anyOf)) converted.anyOf = schema.anyOf.map(toJsonSchema);
  return converted;
}

function mapValues(object: JsonObject, map: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
