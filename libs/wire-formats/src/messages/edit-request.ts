import type { ByteEdit } from '@gateway/interchange';
import { findShadowed, removeMembers } from '../json/json-edits.ts';
import type { JsonEntry, JsonNode, JsonTape } from '../json/json-tape.ts';
import type { EditedRequest, RequestEdit } from '../common/request-edit.ts';
import {
  addItems,
  applyRequestEdits,
  dropsAllTools,
  editDeferred,
  editTools,
  keepsNone,
  renderAdded,
  replaceModel,
  stripToolMembers,
  withSearchTool,
} from '../common/edit-body.ts';
import { renderRequest } from './provider/render-request.ts';

/** Fields that providers ignore or reject when a request has no tools. */
const membersOfTools = ['tools', 'tool_choice'] as const;

/**
 * Fields that the gateway validates. If a client repeats a field, the gateway validates the last occurrence
 * and removes the earlier occurrences. Providers that read the first occurrence of a field also use the
 * validated value.
 */
const checkedMembers = ['model', 'messages', 'system', 'stream', ...membersOfTools] as const;

/**
 * Edits a request for a provider that uses the client's format. The edits remove the gateway's fields and
 * apply the plan. Bytes outside the edits stay unchanged. If the request needs no changes, the function
 * returns the same `bytes` object.
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
    tools === undefined || dropsAll ? [] : editDeferred(request, tape.items(tools)),
    dropsAll ? [] : insertLoads(request),
    dropsAll
      ? []
      : addItems(tape, tools, withSearchTool(request, added.tools, searchTool), () => keepsNone(request)),
  );
  return applyRequestEdits(request, edits, added.messages);
}

/** The beta flag for loading deferred tools with a system message after the conversation has started. */
export const toolChangesBeta = 'mid-conversation-tool-changes-2026-07-01';

/**
 * Inserts the system messages that load deferred tools. Anthropic accepts a system message that loads tools
 * only directly after a user message. Only a model message may follow the system message.
 */
function insertLoads({ outline: { messages, tools }, loadTools = [] }: RequestEdit): ByteEdit[] {
  return loadTools.flatMap(({ after, tools: loaded }): ByteEdit[] => {
    const [message, next] = [messages[after], messages[after + 1]];
    const content = loaded.flatMap((index) => {
      const name = tools[index]?.name;
      return name === undefined ? [] : [{ type: 'tool_addition', tool: { type: 'tool_reference', name } }];
    });
    const isInPlace = message?.role === 'user' && (next === undefined || next.role === 'assistant');
    if (!isInPlace || content.length === 0) return [];
    const { end } = message.range;
    return [{ start: end, end, replacement: `,${JSON.stringify({ role: 'system', content })}` }];
  });
}

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  return stripToolMembers(tape, tool, ['type', 'name', 'input_schema']);
}

/**
 * Anthropic's keyword search tool for deferred tools. The provider runs the search within the same response.
 */
export const searchTool = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const;
