import type { ByteEdit } from '@gateway/interchange';
import { applyEdits, removeMembers, findShadowed } from '../json/json-edits.ts';
import type { JsonEntry, JsonNode, JsonTape } from '../json/json-tape.ts';
import { asList } from '../json/read-members.ts';
import type { EditedRequest, RequestEdit } from '../common/format.ts';
import {
  addItems,
  isEmptyArray,
  renderAdded,
  dropsAllTools,
  editTools,
  keepsNone,
  replaceModel,
  stripToolMembers,
} from '../common/edit-body.ts';
import { editDeferred, searchTool } from './defer-tools.ts';
import { renderRequest } from './provider/render-request.ts';

/** Members that mean nothing, or are refused, without tools. */
const membersOfTools = ['tools', 'tool_choice'] as const;

/**
 * Members that the gateway judges. Where a client repeats one, the last is what was judged; the others are taken out, so
 * that a provider which reads the first sees the same request.
 */
const judgedMembers = ['model', 'messages', 'system', 'stream', ...membersOfTools] as const;

/**
 * The request as it goes to a provider of the same format: the gateway's own members out, and what the plan says
 * changed, in place. Everything else stays byte for byte; with nothing to change, `bytes` is the very object given.
 */
export function editRequest(request: RequestEdit): EditedRequest {
  const { bytes, tape } = request;
  const tools = tape.get(tape.root, 'tools');
  const dropsAll = dropsAllTools(request);
  const added = renderAdded(renderRequest, request);
  const messages = tape.get(tape.root, 'messages');
  const isShadowed = findShadowed(tape, tape.root, judgedMembers);
  const isDropped = (entry: JsonEntry): boolean =>
    isShadowed(entry) || (dropsAll && membersOfTools.some((name) => tape.isString(entry.key, name)));
  const edits = removeMembers(tape, tape.root, isDropped).concat(
    replaceModel(tape, request.model),
    tools === undefined || dropsAll ? [] : editTools(request, tools, stripTool),
    tools === undefined || dropsAll ? [] : editDeferred(request, tools),
    dropsAll ? [] : addItems(tape, tools, listAdded(request, added.tools), () => keepsNone(request)),
    request.contextEdits ?? [],
    request.callEdits ?? [],
    addItems(tape, messages, added.messages, isEmptyArray(tape, messages)),
  );
  edits.sort((one, other) => one.start - other.start);
  return { edits, bytes: applyEdits(bytes, edits) };
}

function listAdded({ deferTools }: RequestEdit, tools: unknown): readonly unknown[] {
  return deferTools === undefined || deferTools.size === 0 ? asList(tools) : [...asList(tools), searchTool];
}

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  return stripToolMembers(tape, tool, ['type', 'name', 'input_schema']);
}
