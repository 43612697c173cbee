import type { ByteEdit, JsonObject } from '@gateway/interchange';
import { examplesField, isCloudField } from '../common/gateway-fields.ts';
import { findShadowed, removeMembers, replaceValue } from '../json/json-edits.ts';
import type { JsonEntry, JsonNode, JsonTape } from '../json/json-tape.ts';
import type { EditedRequest, RequestEdit } from '../common/request-edit.ts';
import {
  addItems,
  applyRequestEdits,
  dropsAllTools,
  editTools,
  keepsNone,
  renderAdded,
  replaceModel,
  stripToolMembers,
} from '../common/edit-body.ts';
import { renderRequest } from './provider/render-request.ts';
import { findBody, readName } from './shared/tools.ts';

/** Fields that providers ignore or reject when a request has no tools. */
const membersOfTools = ['tools', 'tool_choice', 'parallel_tool_calls'] as const;

/**
 * Fields that the gateway validates. If a client repeats a field, the gateway validates the last occurrence
 * and removes the earlier occurrences. All providers use the validated value of a repeated field.
 */
const checkedMembers = ['model', 'messages', 'stream', 'functions', ...membersOfTools] as const;

/**
 * Edits a request for a provider that uses the client's format. The edits remove the gateway's fields and
 * apply the plan. Bytes outside the edits stay unchanged. If the request needs no changes, returns the same
 * `bytes` object.
 */
export function editRequest(request: RequestEdit): EditedRequest {
  const { tape } = request;
  const tools = tape.get(tape.root, 'tools');
  const dropsAll = dropsAllTools(request);
  const added = renderAdded(renderRequest, request);
  const isShadowed = findShadowed(tape, tape.root, checkedMembers);
  const isDropped = (entry: JsonEntry): boolean =>
    isCloudField(tape, entry) ||
    isShadowed(entry) ||
    (dropsAll && membersOfTools.some((name) => tape.isString(entry.key, name)));
  const edits = removeMembers(tape, tape.root, isDropped).concat(
    replaceModel(tape, request.model),
    stripLegacyFunctions(tape),
    tools === undefined || dropsAll ? [] : editTools(request, tools, stripTool),
    dropsAll ? [] : addItems(tape, tools, added.tools, () => keepsNone(request)),
    tools === undefined || dropsAll ? [] : editAllowed(request, tools),
  );
  return applyRequestEdits(request, edits, added.messages);
}

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  const body = findBody(tape, tool);
  const edits = stripToolMembers(tape, tool, ['type', 'function', 'custom', 'name']);
  return body === undefined ? edits : [...edits, ...stripToolMembers(tape, body, ['name'])];
}

function stripLegacyFunctions(tape: JsonTape): ByteEdit[] {
  const functions = tape.get(tape.root, 'functions');
  if (functions === undefined) return [];
  return tape
    .items(functions)
    .flatMap((item) => removeMembers(tape, item, ({ key }) => tape.isString(key, examplesField)));
}

/** Sets `tool_choice` to the list of allowed tools. The prompt contains all tools. Required calls stay required. */
function editAllowed({ tape, outline, allowTools, addTools = [] }: RequestEdit, tools: JsonNode): ByteEdit[] {
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
  const current = tape.get(tape.root, 'tool_choice');
  if (current !== undefined) return [replaceValue(tape, current, choice)];
  const end = tape.end(tape.root) - 1;
  return [{ start: end, end, replacement: `,"tool_choice":${choice}` }];
}

function nameTool(tape: JsonTape, tool: JsonNode): JsonObject {
  const name = readName(tape, tool) ?? '';
  return tape.get(tool, 'custom') === undefined
    ? { type: 'function', function: { name } }
    : { type: 'custom', custom: { name } };
}
