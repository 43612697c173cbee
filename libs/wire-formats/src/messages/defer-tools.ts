import type { ByteEdit } from '@gateway/interchange';
import { replaceValue } from '../json/json-edits.ts';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import type { RequestEdit } from '../common/format.ts';

/** Anthropic's own search over deferred tools, by words. It is answered by the provider, within the same answer. */
export const searchTool = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const;

/** Marks tools whose definitions are to stay out of the prompt until the model searches for them. */
export function editDeferred({ tape, deferTools }: RequestEdit, tools: JsonNode): ByteEdit[] {
  if (deferTools === undefined) return [];
  return tape
    .items(tools)
    .flatMap((tool, index) => (deferTools.has(index) ? [markDeferred(tape, tool)] : []));
}

function markDeferred(tape: JsonTape, tool: JsonNode): ByteEdit {
  const marked = tape.get(tool, 'defer_loading');
  if (marked !== undefined) return replaceValue(tape, marked, 'true');
  const end = tape.end(tool) - 1;
  return { start: end, end, replacement: ',"defer_loading":true' };
}
