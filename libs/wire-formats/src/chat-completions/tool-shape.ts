import type { JsonNode, JsonTape } from '../json/json-tape.ts';

/** Members that mark the end of a cacheable prefix: Anthropic's, as resellers take it, and OpenAI's. */
const cacheMarkers = ['cache_control', 'prompt_cache_breakpoint'] as const;

/** The `function` or `custom` object of a tool, a tool call or a tool choice; undefined for what is built in. */
export function findBody(tape: JsonTape, node: JsonNode): JsonNode | undefined {
  const body = tape.get(node, 'function') ?? tape.get(node, 'custom');
  return body !== undefined && tape.kind(body) === 'object' ? body : undefined;
}

/** The name that a tool, a call or a choice goes by. */
export function readName(tape: JsonTape, node: JsonNode): string | undefined {
  return tape.stringValue(tape.get(findBody(tape, node) ?? node, 'name'));
}

export function hasCacheMarker(tape: JsonTape, node: JsonNode): boolean {
  for (const name of cacheMarkers) {
    const marker = tape.get(node, name);
    if (marker !== undefined && tape.kind(marker) !== 'null') return true;
  }
  return false;
}
