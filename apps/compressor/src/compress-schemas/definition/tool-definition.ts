import type { JsonEntry, JsonNode, JsonTape } from '@gateway/wire-formats';

/** A parsed tool definition, and the positions of its parts. */
export interface ToolDefinitionText {
  readonly tape: JsonTape;
  /** The JSON object with the tool's name, description and schema. */
  readonly body: JsonNode;
  readonly name: string;
  /** The JSON Schema for the arguments, if present. */
  readonly schema: JsonNode | undefined;
  /**
   * Whether compression may change only the schema. This applies if the field `x-svc-examples` is present,
   * because the edge gateway removes the field and adjacent bytes.
   */
  readonly isSchemaOnly: boolean;
}

const examplesField = 'x-svc-examples';
const cacheMarkers = ['cache_control', 'cachePoint'];

/**
 * Finds the parts of a tool definition. The format may be chat-completions (`function.parameters`), responses
 * (`parameters` of a function), messages (`input_schema`) or converse (`toolSpec.inputSchema.json`). Returns
 * undefined for definitions in other formats, for built-in tools, and for definitions with a client's cache
 * marker.
 */
export function findDefinition(tape: JsonTape): ToolDefinitionText | undefined {
  const { root } = tape;
  if (cacheMarkers.some((marker) => tape.get(root, marker) !== undefined)) return undefined;
  const body = tape.get(root, 'function') ?? tape.get(root, 'toolSpec') ?? root;
  const members = readMembers(tape, body);
  const name = tape.stringValue(members?.get('name')?.value);
  if (members === undefined || name === undefined) return undefined;
  const inputSchema = members.get('inputSchema')?.value;
  const schema =
    inputSchema === undefined
      ? (members.get('parameters') ?? members.get('input_schema'))?.value
      : tape.get(inputSchema, 'json');
  const isFunction = tape.stringValue(members.get('type')?.value) === 'function';
  const isBuiltIn = body === root && members.get('input_schema') === undefined && !isFunction;
  if (isBuiltIn) return undefined;
  return {
    tape,
    body,
    name,
    schema,
    isSchemaOnly: members.has(examplesField) || tape.get(root, examplesField) !== undefined,
  };
}

/**
 * The fields of a JSON object, keyed by name. Undefined if the value is not an object, or if a key is repeated. JSON
 * parsers disagree about the value of a repeated key.
 */
export function readMembers(tape: JsonTape, node: JsonNode): Map<string, JsonEntry> | undefined {
  if (tape.kind(node) !== 'object') return undefined;
  const members = new Map<string, JsonEntry>();
  for (const entry of tape.entries(node)) {
    const key = tape.stringValue(entry.key) ?? '';
    if (members.has(key)) return undefined;
    members.set(key, entry);
  }
  return members;
}

/**
 * A JSON object at a position where JSON Schema expects a schema. The keys of a schema object are keywords
 * and not property names.
 */
export interface SchemaPosition {
  readonly node: JsonNode;
  readonly members: ReadonlyMap<string, JsonEntry>;
  /**
   * The name of the property or definition that the schema describes. For the outermost schema, the name is the
   * tool's name. Schemas of array items and of branches such as `anyOf` have no name.
   */
  readonly name: string | undefined;
}

/** JSON Schema keywords (drafts 04 to 2020-12) that contain a schema or a list of schemas. */
const schemaKeywords = new Set(
  (
    'items prefixItems additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties ' +
    'not if then else allOf anyOf oneOf contentSchema'
  ).split(' '),
);
/** JSON Schema keywords that contain a map from names to schemas. */
const schemaMapKeywords = new Set(
  'properties patternProperties $defs definitions dependentSchemas dependencies'.split(' '),
);

export interface SchemaWalk {
  /** The positions of all subschemas, outermost subschema first. */
  readonly positions: readonly SchemaPosition[];
  /**
   * False if the scan skipped an object with a repeated key. The scan skips objects with repeated keys,
   * because parsers handle repeated keys differently.
   */
  readonly isComplete: boolean;
}

/**
 * Visits every subschema in a schema. Skips unknown keywords and keywords that contain data (`enum`, `const`,
 * `default`, `examples`).
 */
export function walkSchema(tape: JsonTape, schema: JsonNode, name: string): SchemaWalk {
  const walker = new Walker(tape);
  walker.visit(schema, name);
  return walker;
}

class Walker implements SchemaWalk {
  readonly positions: SchemaPosition[] = [];
  isComplete = true;
  readonly #tape: JsonTape;

  constructor(tape: JsonTape) {
    this.#tape = tape;
  }

  visit(node: JsonNode, name: string | undefined): void {
    const members = this.#membersOf(node);
    if (members === undefined) return;
    this.positions.push({ node, members, name });
    for (const [keyword, { value }] of members) {
      if (schemaKeywords.has(keyword)) this.#visitOneOrMany(value);
      else if (schemaMapKeywords.has(keyword)) this.#visitMap(value);
    }
  }

  #visitOneOrMany(value: JsonNode): void {
    if (this.#tape.kind(value) !== 'array') this.visit(value, undefined);
    else for (const item of this.#tape.items(value)) this.visit(item, undefined);
  }

  #visitMap(value: JsonNode): void {
    for (const [key, entry] of this.#membersOf(value) ?? []) this.visit(entry.value, key);
  }

  #membersOf(node: JsonNode): Map<string, JsonEntry> | undefined {
    const members = readMembers(this.#tape, node);
    if (members === undefined && this.#tape.kind(node) === 'object') this.isComplete = false;
    return members;
  }
}
