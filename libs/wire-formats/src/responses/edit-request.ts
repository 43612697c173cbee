import type { ByteEdit } from '@gateway/interchange';
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
import type { EditedRequest, RequestEdit } from '../common/format.ts';
import { isCloudField } from '../common/gateway-fields.ts';
import { findShadowed, removeMembers } from '../json/json-edits.ts';
import type { JsonEntry, JsonNode, JsonTape } from '../json/json-tape.ts';
import { renderRequest } from './provider/render-request.ts';

/** Fields that providers ignore or reject when a request has no tools. */
const membersOfTools = ['tools', 'tool_choice', 'parallel_tool_calls'] as const;

/**
 * Fields that the gateway validates. If a client repeats a field, the gateway validates the last occurrence
 * and removes the earlier occurrences.
 */
const checkedMembers = ['model', 'input', 'instructions', 'stream', ...membersOfTools] as const;

/**
 * Edits a request for a provider of the same format. The edits remove the gateway's fields and apply the plan
 * in place. All other bytes stay the same. If the request needs no changes, the function returns the same
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
  const edits = [
    ...removeMembers(tape, tape.root, isDropped),
    ...replaceModel(tape, request.model),
    ...(tools === undefined || dropsAll ? [] : editTools(request, tools, stripTool)),
    ...(dropsAll ? [] : addItems(tape, tools, added.tools, () => keepsNone(request))),
  ];
  return applyRequestEdits(request, edits, added.input, 'input');
}

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  return stripToolMembers(tape, tool, ['type', 'name']);
}
