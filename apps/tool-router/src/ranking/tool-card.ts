import type { ToolDefinition } from '@gateway/contracts';
import { splitTokens } from './tokens.ts';

/**
 * Weights of the fields in quarters, so that lengths are whole numbers: sums of them do not depend on the order of the
 * tools. Name ×2, description ×1, parameter names ×1, their descriptions ×0.25 are the figures measured best on the
 * public sets; enum values and examples are weighted by kind (a parameter's value, a text like a question).
 */
const fieldWeights = {
  name: 8,
  description: 4,
  example: 4,
  parameterName: 4,
  parameterDescription: 1,
  enumValue: 1,
} as const;
type Field = keyof typeof fieldWeights;

/** Bounds that keep a hostile or enormous definition from costing more than a long one. */
const depthMax = 12;
const schemaNodesMax = 2000;
const tokensMax = 4000;
const charactersPerTextMax = 20_000;
const enumValuesMax = 64;
const examplesMax = 32;

/** What ranking knows of a tool: its words with their weighted counts. The definition itself is not kept. */
export interface ToolCard {
  readonly hash: string;
  readonly name: string | null;
  /** Term to its weighted count, in quarters. */
  readonly terms: ReadonlyMap<string, number>;
  /** The words of the name, each once. */
  readonly nameTerms: readonly string[];
  /** Sum of the weighted counts, in quarters. */
  readonly length: number;
  /** A rough size in memory, for the bound of whoever keeps it. */
  readonly bytes: number;
}

/** Makes a tool's card. Linear in the definition's size up to the bounds above; never throws on any schema. */
export function makeToolCard(definition: ToolDefinition): ToolCard {
  const draft = new CardDraft();
  draft.add('name', definition.name ?? '');
  const nameTerms = [...draft.terms.keys()];
  draft.add('description', definition.description);
  for (const example of definition.examples.slice(0, examplesMax)) draft.add('example', example);
  addParameters(definition.parameters, draft);
  return {
    hash: definition.hash,
    name: definition.name,
    nameTerms,
    terms: draft.terms,
    length: draft.length,
    bytes: 400 + draft.terms.size * 96,
  };
}

class CardDraft {
  readonly terms = new Map<string, number>();
  length = 0;
  private tokensLeft = tokensMax;

  add(field: Field, text: string): void {
    const weight = fieldWeights[field];
    const tokens = splitTokens(text.slice(0, charactersPerTextMax), this.tokensLeft);
    this.tokensLeft -= tokens.length;
    for (const token of tokens) {
      this.terms.set(token, (this.terms.get(token) ?? 0) + weight);
      this.length += weight;
    }
  }
}

interface SchemaVisit {
  readonly schema: unknown;
  readonly depth: number;
}

/** Keywords whose value is a map from name to schema, a schema, or a list of schemas. */
const schemaLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaValues = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'];
const schemaMaps = ['patternProperties', '$defs', 'definitions'];

/** Walks breadth first, so that a bound cuts what is deepest. `$ref` is not followed: its target is walked in its own place, so loops cannot arise. */
function addParameters(parameters: unknown, draft: CardDraft): void {
  const queue: SchemaVisit[] = [{ schema: parameters, depth: 0 }];
  for (let at = 0; at < queue.length && at < schemaNodesMax; at += 1) {
    const visit = queue[at];
    if (visit === undefined || visit.depth > depthMax || !isRecord(visit.schema)) continue;
    addSchemaTexts(visit.schema, visit.depth, draft);
    pushSubschemas(visit.schema, visit.depth + 1, queue, draft);
  }
}

function addSchemaTexts(schema: Record<string, unknown>, depth: number, draft: CardDraft): void {
  if (depth > 0 && typeof schema['description'] === 'string') {
    draft.add('parameterDescription', schema['description']);
  }
  const values = Array.isArray(schema['enum']) ? schema['enum'].slice(0, enumValuesMax) : [schema['const']];
  for (const value of values) {
    if (typeof value === 'string') draft.add('enumValue', value);
  }
}

function pushSubschemas(
  schema: Record<string, unknown>,
  depth: number,
  queue: SchemaVisit[],
  draft: CardDraft,
): void {
  const push = (subschema: unknown): void => {
    if (queue.length < schemaNodesMax) queue.push({ schema: subschema, depth });
  };
  for (const [name, subschema] of entriesOf(schema['properties'])) {
    draft.add('parameterName', name);
    push(subschema);
  }
  for (const keyword of schemaMaps) for (const [, subschema] of entriesOf(schema[keyword])) push(subschema);
  for (const keyword of schemaLists) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const subschema of list.slice(0, schemaNodesMax)) push(subschema);
  }
  for (const keyword of schemaValues) if (isRecord(schema[keyword])) push(schema[keyword]);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value).slice(0, schemaNodesMax) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
