import { applyEdits } from '@gateway/wire-formats';
import { scanBody } from '../pipeline/stages/parse/parse.ts';
import { restrictBody } from '../tool-lists/restrict-body.ts';
import { permissionOf, type ToolLists, type ToolPermission } from '../tool-lists/tool-permission.ts';
import type { HeldBody } from './held-body.ts';
import { JsonModelScanner } from './json-model-scanner.ts';
import { modelMissing, type ModelScanner } from './model-scanner.ts';

/**
 * Applies the key's tool lists to a proxied request with a JSON body. The body is buffered, because a tool
 * may be anywhere in it. Returns the rule for the response. Returns null for a key without lists, and the
 * body is then streamed. Multipart bodies have no tools.
 * @throws GatewayError `tool_not_allowed`, `ambiguous_tools`, `malformed_json`, `too_deep`,
 * `request_too_large`
 */
export async function restrictProxied(
  body: HeldBody,
  { isJson }: ModelScanner,
  caller: ToolLists,
): Promise<ToolPermission | null> {
  const permission = permissionOf(caller);
  if (permission === null || !isJson) return permission;
  const given = await body.holdAll();
  const edits = restrictBody(scanBody(given), permission);
  if (edits.length === 0) return permission;
  const bytes = Buffer.from(applyEdits(given, edits));
  const place = new JsonModelScanner().push(bytes);
  if (place === null) throw modelMissing();
  body.replace(bytes, place);
  return permission;
}
