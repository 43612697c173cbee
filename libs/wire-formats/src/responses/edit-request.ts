import type { ByteEdit, ByteRange } from '@gateway/interchange';
import {
  addItems,
  applyRequestEdits,
  dropsAllTools,
  editTool,
  editDeferred,
  editTools,
  isKept,
  keepsNone,
  renderAdded,
  replaceModel,
  stripToolMembers,
  withSearchTool,
} from '../common/edit-body.ts';
import type { EditedRequest, RequestEdit } from '../common/request-edit.ts';
import { isCloudField } from '../common/gateway-fields.ts';
import { findShadowed, removeItems, removeMembers } from '../json/json-edits.ts';
import type { JsonEntry, JsonNode, JsonTape } from '../json/json-tape.ts';
import { asList } from '../json/read-members.ts';
import { listElements } from './client/outline-tools.ts';
import { renderRequest } from './provider/render-request.ts';
import { sealPrefix } from './shared/reasoning.ts';

/** Fields that providers ignore or reject when a request has no tools. */
const membersOfTools = ['tools', 'tool_choice', 'parallel_tool_calls'] as const;

/**
 * Fields that the gateway validates. If a client repeats a field, the gateway validates the last occurrence
 * and removes the earlier occurrences.
 */
const checkedMembers = ['model', 'input', 'instructions', 'stream', ...membersOfTools] as const;

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
    isCloudField(tape, entry) ||
    isShadowed(entry) ||
    (dropsAll && membersOfTools.some((name) => tape.isString(entry.key, name)));
  const edits = [
    ...removeMembers(tape, tape.root, isDropped),
    ...replaceModel(tape, request.model),
    ...(tools === undefined || dropsAll ? [] : editElements(request, tools)),
    ...(dropsAll ? [] : addItems(tape, tools, listAdded(request, added.tools), () => keepsNone(request))),
  ];
  const input = tape.get(tape.root, 'input');
  if (input === undefined || tape.kind(input) !== 'string')
    return applyRequestEdits(request, edits, added.input, 'input');
  return applyRequestEdits(request, [...edits, ...addToText(tape.range(input), added.input)], undefined);
}

/**
 * OpenAI's search tool for deferred functions. OpenAI runs the search within the same response. The prompt
 * contains the name and the description of each deferred function, and omits only its parameters.
 */
const searchTool = { type: 'tool_search' } as const;

const listAdded = (request: RequestEdit, tools: unknown): readonly unknown[] =>
  withSearchTool(request, tools, searchTool);

/**
 * Removes the reasoning items that the gateway created from another format's reasoning. Providers with the
 * responses format reject encrypted content from other sources.
 */
export function removeSealedReasoning(tape: JsonTape): ByteEdit[] {
  const input = tape.kind(tape.root) === 'object' ? tape.get(tape.root, 'input') : undefined;
  if (input === undefined || tape.kind(input) !== 'array') return [];
  const isSealed = tape.items(input).map((item) => {
    const content = tape.kind(item) === 'object' ? tape.get(item, 'encrypted_content') : undefined;
    return tape.stringValue(content)?.startsWith(sealPrefix) === true;
  });
  return isSealed.includes(true) ? removeItems(tape, input, (index) => isSealed[index] !== true) : [];
}

/** Adds items to an input that is a plain string. The string becomes a user message, and its bytes stay unchanged. */
function addToText({ start, end }: ByteRange, added: unknown): ByteEdit[] {
  const items = asList(added);
  if (items.length === 0) return [];
  const last = items.map((item) => `,${JSON.stringify(item)}`).join('');
  return [
    { start, end: start, replacement: '[{"role":"user","content":' },
    { start: end, end, replacement: `}${last}]` },
  ];
}

/**
 * Returns the edits for the tool list and for the tool lists of its namespaces. A namespace without kept
 * tools is removed.
 */
function editElements(request: RequestEdit, list: JsonNode): ByteEdit[] {
  const { tape, schemaEdits } = request;
  const elements = listElements(tape);
  let next = 0;
  const edits = elements.map(({ node, list: members, tools }): ByteEdit[] | null => {
    const first = next;
    next += tools.length;
    if (!tools.some((_, at) => isKept(request, first + at))) return null;
    if (members === undefined)
      return editTool(tape, node, stripTool(tape, node), schemaEdits?.get(first) ?? []);
    const own = stripToolMembers(tape, node, ['type', 'name', 'tools']);
    return [...own, ...editTools(request, members, stripTool, first)];
  });
  return [
    ...removeItems(tape, list, (at) => edits[at] !== null),
    ...edits.flatMap((each) => each ?? []),
    ...editDeferred(
      request,
      elements.flatMap(({ tools }) => tools.map(({ node }) => node)),
    ),
  ];
}

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  return stripToolMembers(tape, tool, ['type', 'name']);
}
