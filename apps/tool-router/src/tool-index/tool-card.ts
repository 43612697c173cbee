import type { ToolDefinition } from '@gateway/contracts';
import type { Word } from './tokens.ts';
import { nextCount, readWords, trimWords } from './tokens.ts';

/**
 * Weights of a tool's text fields, in quarters. With weights in units of a quarter, text lengths are integers, so
 * sums do not depend on the order of the tools. On the public data sets, the best weights are 2 for the name, 1 for
 * the description and parameter names, and 0.25 for parameter descriptions. Enum values and examples have the same
 * weights as similar fields.
 */
const fieldWeights: Readonly<Record<ToolField, number>> = {
  name: 8,
  description: 4,
  example: 4,
  parameterName: 4,
  parameterDescription: 1,
  enumValue: 1,
};

/** Limits that protect against very large or malicious tool definitions. */
const tokensMax = 4000;
const charactersPerTextMax = 20_000;
const parameterTermsMax = 32;

/** The words of a tool, with their weighted counts. The tool definition itself is not stored. */
export interface ToolCard {
  readonly hash: string;
  readonly name: string | null;
  /**
   * The distinct words of a tool. Words and counts are in two parallel arrays, because a map would take three
   * times the memory.
   */
  readonly terms: readonly Word[];
  /** Weighted counts of the words, in units of a quarter. */
  readonly counts: readonly number[];
  /** The distinct words in the tool's name. */
  readonly nameTerms: readonly string[];
  /**
   * The distinct words in the parameter names. For a long schema, only the first words of the parameter names
   * are stored.
   */
  readonly parameterTerms: readonly string[];
  /** Sum of all weighted word counts, in quarters. */
  readonly length: number;
  /** The length of the whole definition and the length of its parameters, in characters of JSON. */
  readonly definitionCharacters: number;
  readonly parameterCharacters: number;
  /** Approximate memory use of the stored words in bytes, for cache limits. */
  readonly bytes: number;
}

/**
 * Collects a tool's words with their weighted counts. The running time is linear in the size of the definition,
 * and the size is limited. Never throws an error, even for an invalid schema.
 */
export function makeToolCard(definition: ToolDefinition): ToolCard {
  trimWords();
  const parameterCharacters = charactersOf(definition.parameters);
  const draft = new CardDraft();
  visitToolTexts(definition, (field, text) => {
    draft.add(field, text);
  });
  return {
    hash: definition.hash,
    name: definition.name,
    nameTerms: [...draft.nameTerms],
    parameterTerms: [...draft.parameterTerms],
    // The arrays are copied to drop unused capacity.
    terms: draft.terms.slice(),
    counts: draft.counts.slice(),
    length: draft.length,
    definitionCharacters:
      charactersOf(definition.name) + charactersOf(definition.description) + parameterCharacters,
    parameterCharacters,
    bytes: 616 + draft.terms.length * 24,
  };
}

/** The length of a value as JSON, in characters. Values without a JSON form have length 0. */
function charactersOf(value: unknown): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}

class CardDraft {
  readonly terms: Word[] = [];
  readonly counts: number[] = [];
  readonly nameTerms = new Set<string>();
  readonly parameterTerms = new Set<string>();
  length = 0;
  readonly #count = nextCount();
  #tokensLeft = tokensMax;

  add(field: ToolField, text: string): void {
    if (this.#tokensLeft <= 0) return;
    const weight = fieldWeights[field];
    const words = readWords(text.slice(0, charactersPerTextMax), this.#tokensLeft);
    this.#tokensLeft -= words.length;
    this.length += weight * words.length;
    for (const word of words) {
      this.#weigh(word, weight);
      if (field === 'name') this.nameTerms.add(word.token);
      else if (field === 'parameterName' && this.parameterTerms.size < parameterTermsMax)
        this.parameterTerms.add(word.token);
    }
  }

  #weigh(word: Word, weight: number): void {
    if (word.count === this.#count) {
      this.counts[word.place] = (this.counts[word.place] ?? 0) + weight;
      return;
    }
    word.count = this.#count;
    word.place = this.counts.length;
    this.terms.push(word);
    this.counts.push(weight);
  }
}

type ToolField = 'name' | 'description' | 'example' | 'parameterName' | 'parameterDescription' | 'enumValue';

/** Limits that protect against very large or malicious schemas. */
const depthMax = 12;
const schemaNodesMax = 2000;
const enumValuesMax = 64;
const examplesMax = 32;

type Visit = (field: ToolField, text: string) => void;

/**
 * Visits each text in a tool definition together with its field, starting with the name and description.
 * Visits only a limited number of texts. Never throws an error, even for an invalid schema.
 */
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

/** JSON Schema keywords by value type. The schemas under this keyword are a list, a single schema, or a map. */
const schemaLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaValues = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'];
const schemaMaps = ['patternProperties', '$defs', 'definitions'];
const schemaKeywords = new Set([...schemaLists, ...schemaValues, ...schemaMaps]);

/**
 * Visits the schema level by level (breadth-first), so that the size limit drops the deepest levels. Does
 * not follow `$ref`, because the target of a `$ref` is visited where the target is defined. A cycle of
 * `$ref` keywords cannot cause an endless loop.
 */
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
  // The check for `properties` comes first, because it is the only keyword with nested schemas in most schemas.
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
