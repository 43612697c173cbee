import type { ByteEdit } from '@gateway/interchange';
import { findShadowed, removeMembers, replaceValue } from '../json/json-edits.ts';
import type { JsonEntry, JsonNode, JsonTape } from '../json/json-tape.ts';
import { asList } from '../json/read-members.ts';
import type { EditedRequest, RequestEdit } from '../common/format.ts';
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

/** Fields that providers ignore or reject when a request has no tools. */
const membersOfTools = ['tools', 'tool_choice'] as const;

/**
 * Fields that the gateway validates. If a client repeats a field, the gateway validates the last occurrence
 * and removes the earlier occurrences. A provider that reads the first occurrence therefore uses the
 * validated value.
 */
const checkedMembers = ['model', 'messages', 'system', 'stream', ...membersOfTools] as const;

/**
 * Edits a request for a provider that uses the client's format. The edits remove the gateway's fields and
 * apply the plan in place. Bytes outside the edits stay unchanged. If the request needs no changes, the
 * function returns the same `bytes` object.
 */
export function editRequest(request: RequestEdit): EditedRequest {
  const { tape } = request;
  const tools = tape.get(tape.root, 'tools');
  const dropsAll = dropsAllTools(request);
  const added = renderAdded(renderRequest, request);
  const isShadowed = findShadowed(tape, tape.root, checkedMembers);
  const isDropped = (entry: JsonEntry): boolean =>
    isShadowed(entry) || (dropsAll && membersOfTools.some((name) => tape.isString(entry.key, name)));
  const edits = removeMembers(tape, tape.root, isDropped).concat(
    replaceModel(tape, request.model),
    tools === undefined || dropsAll ? [] : editTools(request, tools, stripTool),
    tools === undefined || dropsAll ? [] : editDeferred(request, tools),
    dropsAll ? [] : addItems(tape, tools, listAdded(request, added.tools), () => keepsNone(request)),
  );
  return applyRequestEdits(request, edits, added.messages);
}

function listAdded({ deferTools }: RequestEdit, tools: unknown): readonly unknown[] {
  return deferTools === undefined || deferTools.size === 0 ? asList(tools) : [...asList(tools), searchTool];
}

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  return stripToolMembers(tape, tool, ['type', 'name', 'input_schema']);
}

/**
 * Anthropic's keyword search tool for deferred tools. The provider runs the search within the same response.
 */
export const searchTool = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const;

/**
 * Marks tools as deferred. The definition of a deferred tool stays out of the prompt until the model searches
 * for the tool.
 */
function editDeferred({ tape, deferTools }: RequestEdit, tools: JsonNode): ByteEdit[] {
  if (deferTools === undefined) return [];
  return tape.items(tools).flatMap((tool, index) => (deferTools.has(index) ? markDeferred(tape, tool) : []));
}

/**
 * A deferred tool must not carry a cache marker. If the client put a cache marker on the tool, the marker
 * becomes null.
 */
function markDeferred(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  const marker = tape.get(tool, 'cache_control');
  const unmarked = marker === undefined ? [] : [replaceValue(tape, marker, 'null')];
  const deferred = tape.get(tool, 'defer_loading');
  if (deferred !== undefined) return [...unmarked, replaceValue(tape, deferred, 'true')];
  const end = tape.end(tool) - 1;
  return [...unmarked, { start: end, end, replacement: ',"defer_loading":true' }];
}
