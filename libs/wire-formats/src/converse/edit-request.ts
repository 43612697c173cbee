import type { ByteEdit } from '@gateway/interchange';
import { removeMembers, findShadowed } from '../json/json-edits.ts';
import type { JsonEntry, JsonNode, JsonTape } from '../json/json-tape.ts';
import type { EditedRequest, RequestEdit } from '../common/request-edit.ts';
import {
  addItems,
  applyRequestEdits,
  renderAdded,
  dropsAllTools,
  editTools,
  keepsNone,
  stripToolMembers,
} from '../common/edit-body.ts';
import { asObject } from '../json/read-members.ts';
import { renderRequest } from './provider/render-request.ts';
import { isCachePoint, requestFields } from './client/outline-request.ts';

/**
 * Edits a request for a provider that uses the Converse format. The edits remove tool examples and apply the
 * plan. Bytes outside the edits stay unchanged. If the request needs no changes, returns the same `bytes`
 * object. The model is part of the URL, so the body is the same for every model. If a client repeats a field
 * that the gateway validates, only the last occurrence is kept. All providers use the validated value of a
 * repeated field.
 */
export function editRequest(given: RequestEdit): EditedRequest {
  const { tape } = given;
  const config = tape.get(tape.root, 'toolConfig');
  const tools = config === undefined ? undefined : tape.get(config, 'tools');
  const request = tools === undefined ? given : keepFollowedPoints(given, tools);
  const dropsAll = dropsAllTools(request);
  const added = renderAdded(renderRequest, request);
  const isShadowed = findShadowed(tape, tape.root, requestFields);
  const isDropped = (entry: JsonEntry): boolean =>
    isShadowed(entry) || (dropsAll && tape.isString(entry.key, 'toolConfig'));
  const edits = removeMembers(tape, tape.root, isDropped).concat(
    config === undefined || dropsAll ? [] : editConfig(request, config, tools),
    dropsAll ? [] : addItems(tape, tools, asObject(added.toolConfig)?.tools, () => keepsNone(request)),
  );
  return applyRequestEdits(request, edits, added.messages);
}

/** Removes each cache point without a forwarded tool before it, because no tool is left for the cache point to mark. */
function keepFollowedPoints(request: RequestEdit, tools: JsonNode): RequestEdit {
  const { tape, keepTools } = request;
  if (keepTools === undefined) return request;
  const points = tape.items(tools).map((tool) => isCachePoint(tape, tool));
  const firstTool = points.findIndex((isPoint, index) => !isPoint && keepTools.has(index));
  const isFollowed = (index: number): boolean =>
    points[index] !== true || (firstTool !== -1 && firstTool < index);
  return { ...request, keepTools: new Set([...keepTools].filter(isFollowed)) };
}

function editConfig(request: RequestEdit, config: JsonNode, tools: JsonNode | undefined): ByteEdit[] {
  const { tape } = request;
  const shadowed = removeMembers(tape, config, findShadowed(tape, config, ['tools', 'toolChoice']));
  return tools === undefined ? shadowed : [...shadowed, ...editTools(request, tools, stripTool)];
}

function stripTool(tape: JsonTape, tool: JsonNode): ByteEdit[] {
  const spec = tape.get(tool, 'toolSpec');
  const edits = stripToolMembers(tape, tool, ['toolSpec', 'systemTool', 'cachePoint']);
  if (spec === undefined) return edits;
  return [...edits, ...stripToolMembers(tape, spec, ['name', 'description', 'inputSchema'])];
}
