/** A place in a tape: the index of a value, in the order of the text. Meaningful with its own tape alone. */
export type JsonNode = number;

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** A member of an object: the nodes of its key and of its value. */
export interface JsonEntry {
  readonly key: JsonNode;
  readonly value: JsonNode;
}
