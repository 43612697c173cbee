import type { JsonNode, JsonTape } from '../../json/json-tape.ts';

/** Names of the tools that a transcript's searches have found: what defines a deferred tool to the model from there on. */
export function listFoundTools(tape: JsonTape): ReadonlySet<string> {
  const found = new Set<string>();
  for (const message of itemsOf(tape, tape.root, 'messages')) {
    for (const block of itemsOf(tape, message, 'content')) {
      const content = tape.get(block, 'content');
      // A provider's own search tells them in an object, a client's own in the content of its result.
      const references =
        content === undefined
          ? []
          : tape.kind(content) === 'array'
            ? tape.items(content)
            : itemsOf(tape, content, 'tool_references');
      for (const reference of references) {
        const name = tape.stringValue(tape.get(reference, 'tool_name'));
        if (name !== undefined) found.add(name);
      }
    }
  }
  return found;
}

function itemsOf(tape: JsonTape, object: JsonNode, member: string): JsonNode[] {
  const array = tape.get(object, member);
  return array === undefined ? [] : tape.items(array);
}
