import type { ByteEdit } from '@gateway/interchange';
import { applyEdits } from '../json/edits/apply-edits.ts';
import { removeItems, removeMembers, replaceValue } from '../json/edits/remove-entries.ts';
import type { JsonEntry, JsonNode } from '../json/json-node.ts';
import type { JsonTape } from '../json/json-tape.ts';
import type { RequestEdit, EditedRequest } from '../request-edit.ts';
import { examplesField, isCloudField } from './extension-fields.ts';
import { findBody } from './tool-shape.ts';

/** Members that mean nothing, or are refused, without tools. */
const membersOfTools = ['tools', 'tool_choice', 'parallel_tool_calls'] as const;

/**
 * Members that the gateway judges. Where a client repeats one, the last is what was judged; the others are taken out, so
 * that a provider which reads the first sees the same request.
 */
const judgedMembers = ['model', 'messages', 'stream', 'functions', ...membersOfTools] as const;

/**
 * The request as it goes to a provider of the same format: extension fields out, and what the plan says changed, in
 * place. Everything else stays byte for byte; with nothing to change, `bytes` is the very object given.
 */
export function editRequest(request: RequestEdit): EditedRequest {
  const { bytes, tape } = request;
  const tools = tape.get(tape.root, 'tools');
  const isKept = (index: number): boolean => request.keepTools?.has(index) ?? true;
  const dropsAll =
    request.outline.tools.length > 0 && !request.outline.tools.some((tool) => isKept(tool.index));
  const isShadowed = findShadowed(tape, tape.root, judgedMembers);
  const isDropped = (entry: JsonEntry): boolean =>
    isCloudField(tape, entry) ||
    isShadowed(entry) ||
    (dropsAll && membersOfTools.some((name) => tape.isString(entry.key, name)));
  const edits = [
    removeMembers(tape, tape.root, isDropped),
    replaceModel(tape, request.model),
    stripLegacyFunctions(tape),
    tools === undefined || dropsAll ? [] : editTools(tape, tools, isKept, request.schemaEdits),
  ].flat();
  edits.sort((one, other) => one.start - other.start);
  return { edits, bytes: applyEdits(bytes, edits) };
}

function editTools(
  tape: JsonTape,
  tools: JsonNode,
  isKept: (index: number) => boolean,
  schemaEdits: RequestEdit['schemaEdits'],
): ByteEdit[] {
  const inTools = tape
    .items(tools)
    .map((tool, index) => (isKept(index) ? editTool(tape, tool, schemaEdits?.get(index) ?? []) : []));
  return [removeItems(tape, tools, isKept), ...inTools].flat();
}

function replaceModel(tape: JsonTape, model: string | undefined): ByteEdit[] {
  const node = tape.get(tape.root, 'model');
  if (model === undefined || node === undefined || tape.isString(node, model)) return [];
  return [replaceValue(tape, node, JSON.stringify(model))];
}

/** Tells the members of those names that a later one of the same name overrules. Linear in the object, for all of them. */
function findShadowed(
  tape: JsonTape,
  object: JsonNode,
  names: readonly string[],
): (entry: JsonEntry) => boolean {
  const judged = new Map(names.map((name) => [name, tape.get(object, name)]));
  return ({ key, value }) => {
    const name = names.find((candidate) => tape.isString(key, candidate));
    return name !== undefined && judged.get(name) !== value;
  };
}

/** Takes the examples out and makes the schema edits. Where one touches the examples, that tool keeps its schema. */
function editTool(tape: JsonTape, tool: JsonNode, schemaEdits: readonly ByteEdit[]): ByteEdit[] {
  const strips = stripTool(tape, tool);
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

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  const body = findBody(tape, tool);
  const edits = stripMembers(tape, tool, ['type', 'function', 'custom', 'name']);
  return body === undefined ? edits : [...edits, ...stripMembers(tape, body, ['name'])];
}

function stripMembers(tape: JsonTape, object: JsonNode, judged: readonly string[]): ByteEdit[] {
  const isShadowed = findShadowed(tape, object, judged);
  return removeMembers(tape, object, (entry) => tape.isString(entry.key, examplesField) || isShadowed(entry));
}

function stripLegacyFunctions(tape: JsonTape): ByteEdit[] {
  const functions = tape.get(tape.root, 'functions');
  if (functions === undefined) return [];
  return tape
    .items(functions)
    .flatMap((item) => removeMembers(tape, item, ({ key }) => tape.isString(key, examplesField)));
}
