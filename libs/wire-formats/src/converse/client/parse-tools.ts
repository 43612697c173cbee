import type { ChatTool, JsonObject } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseCachePoint } from '../cache-point.ts';
import { own } from '../own.ts';
import { examplesField } from '../../common/gateway-fields.ts';

/** The gateway's own member of a tool is left behind. A cache point becomes a mark on the tool before it. */
export function parseTools(list: unknown): ChatTool[] {
  const tools: ChatTool[] = [];
  for (const raw of asList(list).filter(isObject)) {
    const marker = parseCachePoint(raw);
    const last = tools.at(-1);
    if (marker === undefined || last === undefined || last.cacheMarker !== undefined)
      tools.push(parseTool(raw));
    else tools[tools.length - 1] = { ...last, cacheMarker: marker };
  }
  return tools;
}

function parseTool(raw: JsonObject): ChatTool {
  const rest = otherMembers(raw, ['toolSpec', examplesField]);
  const spec = asObject(raw.toolSpec);
  const name = asText(spec?.name);
  const schema = asObject(spec?.inputSchema) ?? {};
  if (spec === undefined || name === undefined || Object.keys(schema).some((member) => member !== 'json')) {
    return { kind: 'built-in', extensions: own.of({ ...rest, ...optional('toolSpec', spec) }) };
  }
  const description = asText(spec.description);
  const isStrict = typeof spec.strict === 'boolean';
  const read = ['name', 'inputSchema', examplesField];
  const toolSpec = otherMembers(spec, [
    ...read,
    ...(description === undefined ? [] : ['description']),
    ...(isStrict ? ['strict'] : []),
  ]);
  return {
    kind: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    ...(schema.json === undefined ? {} : { parameters: schema.json }),
    ...(isStrict ? { strict: spec.strict === true } : {}),
    ...own.with({ ...rest, ...optional('toolSpec', toolSpec) }),
  };
}
