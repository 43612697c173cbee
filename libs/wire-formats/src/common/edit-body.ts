import type { ByteEdit, JsonObject, RequestOutline } from '@gateway/interchange';
import { examplesField } from './gateway-fields.ts';
import { removeItems, removeMembers, replaceValue, findShadowed } from '../json/json-edits.ts';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import type { ProviderHalf, RequestEdit } from './format.ts';
import { asList } from '../json/read-members.ts';

/** What of a format's tool never leaves. */
type StripTool = (tape: JsonTape, tool: JsonNode) => ByteEdit[];

function isKept({ keepTools }: Pick<RequestEdit, 'keepTools'>, index: number): boolean {
  return keepTools?.has(index) ?? true;
}

/** Whether tools came, and none stays: an empty list, and a choice without tools, are refused upstream. */
export function dropsAllTools(
  request: Pick<RequestEdit, 'keepTools' | 'addTools'> & { outline: RequestOutline },
): boolean {
  if (request.addTools !== undefined && request.addTools.length > 0) return false;
  return keepsNone(request) && request.outline.tools.length > 0;
}

/** Whether no tool of the client's stays. */
export function keepsNone(
  request: Pick<RequestEdit, 'keepTools'> & { outline: Pick<RequestOutline, 'tools'> },
): boolean {
  return !request.outline.tools.some((tool) => isKept(request, tool.index));
}

/** The edits inside a list of tools of which some stay. */
export function editTools(request: RequestEdit, tools: JsonNode, stripTool: StripTool): ByteEdit[] {
  const { tape, schemaEdits } = request;
  const inTools = tape
    .items(tools)
    .map((tool, index) =>
      isKept(request, index)
        ? editTool(tape, tool, stripTool(tape, tool), schemaEdits?.get(index) ?? [])
        : [],
    );
  return [removeItems(tape, tools, (index) => isKept(request, index)), ...inTools].flat();
}

/** Makes the schema edits beside the strips. Where one touches what is stripped, that tool keeps its schema. */
function editTool(
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

/** Puts the provider's name of the model in the member `model`. No edit where it is there already. */
export function replaceModel(tape: JsonTape, model: string | undefined): ByteEdit[] {
  const node = tape.get(tape.root, 'model');
  if (model === undefined || node === undefined || tape.isString(node, model)) return [];
  return [replaceValue(tape, node, JSON.stringify(model))];
}

/** Takes the examples out of a tool, or of its body, and what repeats one of the judged members. */
export function stripToolMembers(tape: JsonTape, object: JsonNode, judged: readonly string[]): ByteEdit[] {
  const isShadowed = findShadowed(tape, object, judged);
  return removeMembers(tape, object, (entry) => tape.isString(entry.key, examplesField) || isShadowed(entry));
}

/** What a request is to hold beside what its client wrote, in a format's own words: a body with these alone in it. */
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

/** Puts items behind the last one of an array. `followsNone`: whether no item of it stays; asked when it matters. */
export function addItems(
  tape: JsonTape,
  array: JsonNode | undefined,
  items: unknown,
  followsNone: () => boolean,
): ByteEdit[] {
  const added = asList(items);
  if (array === undefined || added.length === 0) return [];
  const end = tape.end(array) - 1;
  const text = added.map((item) => JSON.stringify(item)).join(',');
  return [{ start: end, end, replacement: followsNone() ? text : `,${text}` }];
}

export function isEmptyArray(tape: JsonTape, array: JsonNode | undefined): () => boolean {
  return () => array === undefined || tape.items(array).length === 0;
}
