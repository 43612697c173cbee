import type { ByteEdit, RequestOutline } from '@gateway/interchange';
import { examplesField } from './extension-fields.ts';
import { removeItems, removeMembers, replaceValue } from './json/edits/remove-entries.ts';
import { findShadowed } from './json/edits/shadowed-members.ts';
import type { JsonNode } from './json/json-node.ts';
import type { JsonTape } from './json/json-tape.ts';
import type { RequestEdit } from './request-edit.ts';

/** What of a format's tool never leaves. */
export type StripTool = (tape: JsonTape, tool: JsonNode) => ByteEdit[];

export function isKept({ keepTools }: Pick<RequestEdit, 'keepTools'>, index: number): boolean {
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
