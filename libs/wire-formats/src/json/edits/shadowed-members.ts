import type { JsonEntry, JsonNode } from '../json-node.ts';
import type { JsonTape } from '../json-tape.ts';

/** Tells the members of those names that a later one of the same name overrules. Linear in the object, for all of them. */
export function findShadowed(
  tape: JsonTape,
  object: JsonNode,
  names: readonly string[],
): (entry: JsonEntry) => boolean {
  const judged = names.map((name) => tape.get(object, name));
  return ({ key, value }) => {
    const at = names.findIndex((candidate) => tape.isString(key, candidate));
    return at !== -1 && judged[at] !== value;
  };
}
