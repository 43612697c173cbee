import type { JsonEntry, JsonNode, JsonTape } from '@gateway/wire-formats';
import { readMembers } from './tool-definition.ts';

/** An object that stands where JSON Schema wants a schema, so that its keys are keywords and not names of properties. */
export interface SchemaPosition {
  readonly node: JsonNode;
  readonly members: ReadonlyMap<string, JsonEntry>;
  /** What its parent calls it: the property or definition; the tool for the outermost; undefined for a branch or an item. */
  readonly name: string | undefined;
}

/** Keywords whose value is a schema, or a list of schemas. Drafts 04 to 2020-12. */
const schemaKeywords = new Set(
  (
    'items prefixItems additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties ' +
    'not if then else allOf anyOf oneOf contentSchema'
  ).split(' '),
);
/** Keywords whose value maps names to schemas. */
const schemaMapKeywords = new Set(
  'properties patternProperties $defs definitions dependentSchemas dependencies'.split(' '),
);

export interface SchemaWalk {
  /** Outermost first. */
  readonly positions: readonly SchemaPosition[];
  /** False where an object with a repeated key was not entered: what it means differs between readers. */
  readonly isComplete: boolean;
}

/** Walks every schema position of a schema. Never enters values (`enum`, `const`, `default`, `examples`) or keywords it does not know. */
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
