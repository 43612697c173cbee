import type { ChatTool, JsonObject } from '@gateway/interchange';
import { examplesField } from '../../common/gateway-fields.ts';
import { asText, optional, otherMembers } from '../../json/read-members.ts';
import { parseCacheControl } from '../cache-control.ts';
import { own } from '../own.ts';

/** The gateway's own member of a tool is left behind. What has no schema is Anthropic's, and kept whole. */
export function parseTool(raw: JsonObject): ChatTool {
  const name = asText(raw.name);
  const cacheMarker = parseCacheControl(raw);
  const marker = cacheMarker === undefined ? {} : { cacheMarker };
  if (name === undefined || raw.input_schema === undefined) {
    return { kind: 'built-in', ...marker, extensions: own.of(otherMembers(raw, [examplesField])) };
  }
  const description = asText(raw.description);
  const isStrict = typeof raw.strict === 'boolean';
  const read = [
    ['name', 'input_schema', examplesField],
    description === undefined ? [] : ['description'],
    isStrict ? ['strict'] : [],
    cacheMarker === undefined ? [] : ['cache_control'],
    raw.type === 'custom' ? ['type'] : [],
  ].flat();
  const spelling = raw.type === 'custom' ? { spelling: { type: 'custom' } } : {};
  return {
    kind: 'function',
    name,
    ...optional('description', description),
    parameters: raw.input_schema,
    ...(isStrict ? { strict: raw.strict === true } : {}),
    ...marker,
    ...own.with({ ...otherMembers(raw, read), ...spelling }),
  };
}
