import type { ByteEdit, JsonObject, RequestOutline } from '@gateway/interchange';
import { examplesField } from './gateway-fields.ts';
import { EditedBytes, findShadowed, removeItems, removeMembers, replaceValue } from '../json/json-edits.ts';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import type { ProviderHalf } from './format.ts';
import type { EditedRequest, RequestEdit } from './request-edit.ts';
import { asList } from '../json/read-members.ts';

/** Removes the tool fields that are never sent to a provider. */
type StripTool = (tape: JsonTape, tool: JsonNode) => ByteEdit[];

/** Whether the edits keep the tool with the given index. */
export function isKept({ keepTools }: Pick<RequestEdit, 'keepTools'>, index: number): boolean {
  return keepTools?.has(index) ?? true;
}

/**
 * Whether the edits remove all tools from a non-empty tool list. Providers reject an empty tool list and a
 * tool choice without tools.
 */
export function dropsAllTools(
  request: Pick<RequestEdit, 'keepTools' | 'addTools'> & { outline: RequestOutline },
): boolean {
  if (request.addTools !== undefined && request.addTools.length > 0) return false;
  return keepsNone(request) && request.outline.tools.length > 0;
}

/** Whether the plan removes all of the client's tools. */
export function keepsNone(
  request: Pick<RequestEdit, 'keepTools'> & { outline: Pick<RequestOutline, 'tools'> },
): boolean {
  return !request.outline.tools.some((tool) => isKept(request, tool.index));
}

/**
 * Returns the edits for a tool list, including the edits that remove pruned tools.
 * @param first the index of the list's first tool, which can be above 0 for the tool list of a namespace
 */
export function editTools(
  request: RequestEdit,
  tools: JsonNode,
  stripTool: StripTool,
  first = 0,
): ByteEdit[] {
  const { tape, schemaEdits } = request;
  const inTools = tape
    .items(tools)
    .map((tool, at) =>
      isKept(request, first + at)
        ? editTool(tape, tool, stripTool(tape, tool), schemaEdits?.get(first + at) ?? [])
        : [],
    );
  return [removeItems(tape, tools, (at) => isKept(request, first + at)), ...inTools].flat();
}

/** Combines removals with edits to tool schemas. A schema edit that overlaps a removed range is dropped. */
export function editTool(
  tape: JsonTape,
  tool: JsonNode,
  strips: ByteEdit[],
  schemaEdits: readonly ByteEdit[],
): ByteEdit[] {
  const offset = tape.start(tool);
  const shifted = schemaEdits.map((edit) => ({
    start: edit.start + offset,
    end: edit.end + offset,
    replacement: edit.replacement,
  }));
  const touches = shifted.some((edit) =>
    strips.some((strip) => edit.start < strip.end && strip.start < edit.end),
  );
  return touches ? strips : [...strips, ...shifted];
}

/**
 * Sets the field `model` to the provider's model name. Returns no edit if the field `model` already contains
 * this name.
 */
export function replaceModel(tape: JsonTape, model: string | undefined): ByteEdit[] {
  const node = tape.get(tape.root, 'model');
  if (model === undefined || node === undefined || tape.isString(node, model)) return [];
  return [replaceValue(tape, node, JSON.stringify(model))];
}

/**
 * Removes the examples from a tool or from the object inside the tool. If a client repeats a field that the
 * gateway validates, the earlier occurrences are also removed.
 */
export function stripToolMembers(
  tape: JsonTape,
  object: JsonNode,
  checkedMembers: readonly string[],
): ByteEdit[] {
  if (!hasStrippedMember(tape, object, checkedMembers)) return [];
  const isShadowed = findShadowed(tape, object, checkedMembers);
  return removeMembers(tape, object, (entry) => tape.isString(entry.key, examplesField) || isShadowed(entry));
}

/** Checks a tool without allocating memory, because most tools of a long list contain nothing to remove. */
function hasStrippedMember(tape: JsonTape, object: JsonNode, checkedMembers: readonly string[]): boolean {
  if (tape.kind(object) !== 'object') return false;
  const end = tape.after(object);
  let seen = 0;
  for (let key = object + 1; key < end; key = tape.after(key + 1)) {
    if (tape.isString(key, examplesField)) return true;
    for (let at = 0; at < checkedMembers.length; at += 1) {
      if (!tape.isString(key, checkedMembers[at] ?? '')) continue;
      if ((seen & (1 << at)) !== 0) return true;
      seen |= 1 << at;
      break;
    }
  }
  return false;
}

/**
 * Marks tools as deferred. The provider keeps the definition of a deferred tool out of the prompt until the
 * model searches for the tool. A deferred tool must not have a cache marker. If the client put a cache marker
 * on the tool, the marker is set to null.
 * @param tools the definitions of all tools in the outline, by index
 */
export function editDeferred({ tape, deferTools }: RequestEdit, tools: readonly JsonNode[]): ByteEdit[] {
  if (deferTools === undefined) return [];
  return tools.flatMap((tool, index) => (deferTools.has(index) ? markDeferred(tape, tool) : []));
}

function markDeferred(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  const marker = tape.get(tool, 'cache_control');
  const unmarked = marker === undefined ? [] : [replaceValue(tape, marker, 'null')];
  const deferred = tape.get(tool, 'defer_loading');
  if (deferred !== undefined) return [...unmarked, replaceValue(tape, deferred, 'true')];
  const end = tape.end(tool) - 1;
  return [...unmarked, { start: end, end, replacement: ',"defer_loading":true' }];
}

/** Returns the gateway's own tools, followed by the provider's search tool if the request defers tools. */
export function withSearchTool(
  { deferTools }: RequestEdit,
  added: unknown,
  searchTool: JsonObject,
): readonly unknown[] {
  return deferTools === undefined || deferTools.size === 0 ? asList(added) : [...asList(added), searchTool];
}

/** Renders only the tools and messages that the gateway adds, as a request body. */
export function renderAdded(
  render: ProviderHalf['renderRequest'],
  { addTools = [], addMessages = [] }: Pick<RequestEdit, 'addTools' | 'addMessages'>,
): JsonObject {
  if (addTools.length === 0 && addMessages.length === 0) return {};
  const request = {
    model: '',
    messages: addMessages,
    tools: addTools,
    toolChoice: { mode: 'unset' },
    settings: {},
    stream: false,
    streamsUsage: false,
  } as const;
  return render(request, { model: '' }).body;
}

/**
 * Appends items to a JSON array. If `isLeftEmpty` returns true, all existing items of the array are removed.
 */
export function addItems(
  tape: JsonTape,
  array: JsonNode | undefined,
  items: unknown,
  isLeftEmpty: () => boolean,
): ByteEdit[] {
  const added = asList(items);
  if (array === undefined || added.length === 0) return [];
  const end = tape.end(array) - 1;
  const text = added.map((item) => JSON.stringify(item)).join(',');
  return [{ start: end, end, replacement: isLeftEmpty() ? text : `,${text}` }];
}

/**
 * Applies the edits of one format, together with the edits that are the same in all formats. The edits that
 * all formats share are text replacements, tool call replacements and added messages.
 * @param member the field that contains the messages
 */
export function applyRequestEdits(
  { bytes, tape, contextEdits = [], callEdits = [] }: RequestEdit,
  formatEdits: readonly ByteEdit[],
  addedMessages: unknown,
  member = 'messages',
): EditedRequest {
  const messages = tape.get(tape.root, member);
  const isEmpty = () => messages === undefined || tape.items(messages).length === 0;
  const edits = [
    ...formatEdits,
    ...contextEdits,
    ...callEdits,
    ...addItems(tape, messages, addedMessages, isEmpty),
  ];
  edits.sort((one, other) => one.start - other.start);
  return new EditedBytes(bytes, edits);
}
