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
  const edits = removeMembers(
    tape,
    tape.root,
    (entry) =>
      isCloudField(tape, entry) ||
      isShadowed(tape, tape.root, entry, judgedMembers) ||
      (dropsAll && membersOfTools.some((name) => tape.isString(entry.key, name))),
  );
  edits.push(...replaceModel(tape, request.model), ...stripLegacyFunctions(tape));
  if (tools !== undefined && !dropsAll) {
    edits.push(...removeItems(tape, tools, isKept));
    tape.items(tools).forEach((tool, index) => {
      if (isKept(index)) edits.push(...editTool(tape, tool, request.schemaEdits?.get(index) ?? []));
    });
  }
  edits.sort((one, other) => one.start - other.start);
  return { edits, bytes: applyEdits(bytes, edits) };
}

function replaceModel(tape: JsonTape, model: string | undefined): ByteEdit[] {
  const node = tape.get(tape.root, 'model');
  if (model === undefined || node === undefined || tape.isString(node, model)) return [];
  return [replaceValue(tape, node, JSON.stringify(model))];
}

function isShadowed(tape: JsonTape, object: JsonNode, entry: JsonEntry, names: readonly string[]): boolean {
  const name = names.find((candidate) => tape.isString(entry.key, candidate));
  return name !== undefined && tape.get(object, name) !== entry.value;
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
  const isStripped = (object: JsonNode, names: readonly string[]) => (entry: JsonEntry) =>
    tape.isString(entry.key, examplesField) || isShadowed(tape, object, entry, names);
  const edits = removeMembers(tape, tool, isStripped(tool, ['type', 'function', 'custom', 'name']));
  const body = findBody(tape, tool);
  return body === undefined ? edits : [...edits, ...removeMembers(tape, body, isStripped(body, ['name']))];
}

function stripLegacyFunctions(tape: JsonTape): ByteEdit[] {
  const functions = tape.get(tape.root, 'functions');
  if (functions === undefined) return [];
  return tape
    .items(functions)
    .flatMap((item) => removeMembers(tape, item, ({ key }) => tape.isString(key, examplesField)));
}
