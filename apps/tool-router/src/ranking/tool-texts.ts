import type { ToolDefinition } from '@gateway/contracts';

export type ToolField =
  'name' | 'description' | 'example' | 'parameterName' | 'parameterDescription' | 'enumValue';

/** Bounds that keep a hostile or enormous definition from costing more than a long one. */
const depthMax = 12;
const schemaNodesMax = 2000;
const enumValuesMax = 64;
const examplesMax = 32;

type Visit = (field: ToolField, text: string) => void;

/** Every text of a definition with the field it stands in, name and description first. Bounded; never throws on any schema. */
export function visitToolTexts(definition: ToolDefinition, visit: Visit): void {
  visit('name', definition.name ?? '');
  visit('description', definition.description);
  for (const example of definition.examples.slice(0, examplesMax)) visit('example', example);
  visitParameters(definition.parameters, visit);
}

interface SchemaVisit {
  readonly schema: unknown;
  readonly depth: number;
}

/** Keywords whose value is a map from name to schema, a schema, or a list of schemas. */
const schemaLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaValues = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'];
const schemaMaps = ['patternProperties', '$defs', 'definitions'];
const schemaKeywords = new Set([...schemaLists, ...schemaValues, ...schemaMaps]);

/** Walks breadth first, so that a bound cuts what is deepest. `$ref` is not followed: its target is walked in its own place, so loops cannot arise. */
function visitParameters(parameters: unknown, visit: Visit): void {
  const queue: SchemaVisit[] = [{ schema: parameters, depth: 0 }];
  for (let at = 0; at < queue.length && at < schemaNodesMax; at += 1) {
    const next = queue[at];
    if (next === undefined || next.depth > depthMax || !isRecord(next.schema)) continue;
    visitSchemaTexts(next.schema, next.depth, visit);
    pushSubschemas(next.schema, next.depth + 1, queue, visit);
  }
}

function visitSchemaTexts(schema: Record<string, unknown>, depth: number, visit: Visit): void {
  if (depth > 0 && typeof schema['description'] === 'string') {
    visit('parameterDescription', schema['description']);
  }
  const values = Array.isArray(schema['enum']) ? schema['enum'].slice(0, enumValuesMax) : [schema['const']];
  for (const value of values) {
    if (typeof value === 'string') visit('enumValue', value);
  }
}

function pushSubschemas(
  schema: Record<string, unknown>,
  depth: number,
  queue: SchemaVisit[],
  visit: Visit,
): void {
  const push = (subschema: unknown): void => {
    if (queue.length < schemaNodesMax) queue.push({ schema: subschema, depth });
  };
  for (const [name, subschema] of entriesOf(schema['properties'])) {
    visit('parameterName', name);
    push(subschema);
  }
  // Most schemas have none of the rest.
  if (!Object.keys(schema).some((key) => schemaKeywords.has(key))) return;
  for (const keyword of schemaMaps) for (const [, subschema] of entriesOf(schema[keyword])) push(subschema);
  for (const keyword of schemaLists) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const subschema of list.slice(0, schemaNodesMax)) push(subschema);
  }
  for (const keyword of schemaValues) if (isRecord(schema[keyword])) push(schema[keyword]);
}

function entriesOf(value: unknown): [string, unknown][] {
  if (!isRecord(value)) return [];
  const entries = Object.entries(value);
  return entries.length > schemaNodesMax ? entries.slice(0, schemaNodesMax) : entries;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
