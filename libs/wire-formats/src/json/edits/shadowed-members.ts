import type { JsonEntry, JsonNode } from '../json-node.ts';
import type { JsonTape } from '../json-tape.ts';

/** Tells the members of those names that a later one of the same name overrules. Linear in the object, for all of them. */
export function findShadowed(
  tape: JsonTape,
  object: JsonNode,
  names: readonly string[],
): (entry: JsonEntry) => boolean {
  const judged = new Map(names.map((name) => [name, tape.get(object, name)]));
  return ({ key, value }) => {
    const name = names.find((candidate) => tape.isString(key, candidate));
    return name !== undefined && judged.get(name) !== value;
  };
}
