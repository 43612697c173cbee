import { isDeepStrictEqual } from 'node:util';
import type { ChatMessage, ChatRequest, ChatTool, JsonObject } from '@gateway/interchange';
import type { RequestRoute } from '../../common/format.ts';
import { parseExactJson } from '../../json/parse-json.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseContent } from '../shared/parse-block.ts';
import { own } from '../shared/own-members.ts';
import { parseSettings } from '../shared/settings.ts';
import { renderToolChoice } from '../shared/tools.ts';
import { outlineToolChoice } from './outline-request.ts';
import { parseCachePoint } from '../shared/block-values.ts';
import { examplesField } from '../../common/gateway-fields.ts';

/**
 * Parses the full request after `outlineRequest` has validated it. Unknown fields are kept for providers that
 * use the Converse format.
 */
export function parseRequest(tape: JsonTape, route?: RequestRoute): ChatRequest {
  const { start, end } = tape.range(tape.root);
  const body = asObject(parseExactJson(tape.bytes.toString('utf8', start, end))) ?? {};
  const toolConfig = asObject(body.toolConfig) ?? {};
  const toolChoice = readToolChoice(tape);
  const isChoiceCarried = isDeepStrictEqual(renderToolChoice(toolChoice), toolConfig.toolChoice ?? undefined);
  const { settings, own: kept, read } = parseSettings(body);
  const restOfTools = otherMembers(toolConfig, ['tools', ...(isChoiceCarried ? ['toolChoice'] : [])]);
  return {
    model: route?.model ?? '',
    messages: [...parseSystem(body.system), ...parseMessages(body.messages)],
    tools: parseTools(toolConfig.tools),
    toolChoice,
    settings,
    stream: route?.stream ?? false,
    // Streams in the Converse format always include usage.
    streamsUsage: route?.stream ?? false,
    ...own.with({
      ...otherMembers(body, ['modelId', 'messages', 'system', 'toolConfig', ...read]),
      ...optional('toolConfig', restOfTools),
      ...kept,
    }),
  };
}

function readToolChoice(tape: JsonTape): ChatRequest['toolChoice'] {
  const config = tape.get(tape.root, 'toolConfig');
  const choice = config === undefined ? undefined : tape.get(config, 'toolChoice');
  return outlineToolChoice(tape, choice !== undefined && tape.kind(choice) === 'object' ? choice : undefined);
}

function parseSystem(system: unknown): ChatMessage[] {
  const parts = parseContent(system);
  return parts.length === 0 ? [] : [{ role: 'system', parts }];
}

/**
 * Marks consecutive turns with the same role, and system turns in the middle of a conversation. The renderer
 * does not merge marked turns with other turns.
 */
function parseMessages(raw: unknown): ChatMessage[] {
  let before: unknown;
  return asList(raw)
    .filter(isObject)
    .map((message) => {
      const isApart = message.role === before || message.role === 'system';
      before = message.role;
      return parseMessage(message, isApart ? { spelling: 'apart' } : {});
    });
}

function parseMessage(raw: JsonObject, spelling: JsonObject): ChatMessage {
  const role = raw.role === 'assistant' || raw.role === 'system' ? raw.role : 'user';
  const rest = otherMembers(raw, role === raw.role ? ['role', 'content'] : ['content']);
  return { role, parts: parseContent(raw.content), ...own.with({ ...rest, ...spelling }) };
}

/**
 * Removes the gateway's own field from a tool definition. A cache point becomes a cache marker on the
 * preceding tool.
 */
function parseTools(list: unknown): ChatTool[] {
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
