import type { ByteEdit, JsonObject } from '@gateway/interchange';
import { replaceValue } from '../json/json-edits.ts';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import type { RequestEdit } from '../common/format.ts';
import { readName } from './tool-shape.ts';

/**
 * Says in `tool_choice` which of the tools may be called: all stay in the prompt, which a cache knows. A client that
 * requires a call goes on requiring one.
 */
export function editAllowed(
  { tape, outline, allowTools, addTools = [] }: RequestEdit,
  tools: JsonNode,
): ByteEdit[] {
  if (allowTools === undefined) return [];
  const own = tape
    .items(tools)
    .flatMap((tool, index) => (allowTools.has(index) ? [nameTool(tape, tool)] : []));
  const added = addTools.flatMap((tool): JsonObject[] =>
    tool.kind === 'function' ? [{ type: 'function', function: { name: tool.name } }] : [],
  );
  const mode = outline.toolChoice.mode === 'required' ? 'required' : 'auto';
  const choice = JSON.stringify({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [...own, ...added] },
  });
  const said = tape.get(tape.root, 'tool_choice');
  if (said !== undefined) return [replaceValue(tape, said, choice)];
  const end = tape.end(tape.root) - 1;
  return [{ start: end, end, replacement: `,"tool_choice":${choice}` }];
}

function nameTool(tape: JsonTape, tool: JsonNode): JsonObject {
  const name = readName(tape, tool) ?? '';
  return tape.get(tool, 'custom') === undefined
    ? { type: 'function', function: { name } }
    : { type: 'custom', custom: { name } };
}
