import type { ChatTool, JsonObject } from '@gateway/interchange';
import { asObject, asText, optional, otherMembers } from '../../json/read-members.ts';
import { examplesField } from '../../common/gateway-fields.ts';
import { readCacheMarker } from '../cache-control.ts';
import { ownExtensions, withOwn } from '../own-extensions.ts';

/** The gateway's own member of a tool is left behind. */
export function parseTool(raw: JsonObject): ChatTool {
  const kind = raw.type === 'custom' ? 'custom' : 'function';
  const body = asObject(raw[kind]);
  const name = asText(body?.name);
  if (body === undefined || name === undefined) {
    return { kind: 'built-in', extensions: ownExtensions(otherMembers(raw, [examplesField])) };
  }
  const isStrict = kind === 'function' && typeof body.strict === 'boolean';
  const read = [
    'name',
    examplesField,
    ...(kind === 'function' ? ['parameters'] : []),
    ...(isStrict ? ['strict'] : []),
  ];
  const description = asText(body.description);
  const rest = otherMembers(body, description === undefined ? read : [...read, 'description']);
  return {
    kind,
    name,
    ...optional('description', description),
    ...(kind === 'function' && body.parameters !== undefined ? { parameters: body.parameters } : {}),
    ...(isStrict ? { strict: body.strict === true } : {}),
    ...readCacheMarker(raw),
    ...readCacheMarker(body),
    ...withOwn({ ...otherMembers(raw, ['type', kind, examplesField]), ...optional(kind, rest) }),
  };
}
