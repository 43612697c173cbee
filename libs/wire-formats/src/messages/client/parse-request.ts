import { isDeepStrictEqual } from 'node:util';
import type { ChatMessage, ChatRequest, ChatTool, JsonObject } from '@gateway/interchange';
import type { JsonTape } from '../../json/json-tape.ts';
import { parseExactJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own, parseCacheControl } from '../shared/own-members.ts';
import { parseContent } from '../shared/blocks.ts';
import { renderToolChoice } from '../shared/tools.ts';
import { outlineToolChoice } from './outline-tools.ts';
import { parseSettings } from './parse-settings.ts';
import { examplesField } from '../../common/gateway-fields.ts';

const judgedMembers = ['model', 'messages', 'system', 'stream', 'tools', 'tool_choice'] as const;

/** The whole request. Its shape has been judged by `outlineRequest`; what is of no use here is kept for this format. */
export function parseRequest(tape: JsonTape): ChatRequest {
  const body = asObject(parseExactJson(tape.text(tape.root))) ?? {};
  const toolChoice = outlineToolChoice(tape, tape.get(tape.root, 'tool_choice'));
  const { settings, read, rest } = parseSettings(body);
  const tools = asList(body.tools).filter(isObject).map(parseTool);
  // A choice without tools is kept apart, so that only a client of this very format gets its provider's opinion of it.
  const isCarried =
    tools.length > 0 &&
    isDeepStrictEqual(
      renderToolChoice(toolChoice, settings.parallelToolCalls),
      body.tool_choice ?? undefined,
    );
  return {
    model: asText(body.model) ?? '',
    messages: [...parseSystem(body.system), ...asList(body.messages).map(parseMessage)],
    tools,
    toolChoice,
    settings,
    stream: body.stream === true,
    // An answer of this format always tells it.
    streamsUsage: body.stream === true,
    ...own.with({
      ...otherMembers(body, [...judgedMembers, ...read]),
      ...rest,
      ...(isCarried ? {} : optional('tool_choice', body.tool_choice)),
    }),
  };
}

/** The prompt that stands before the conversation. */
function parseSystem(system: unknown): ChatMessage[] {
  if (system === undefined || system === null) return [];
  return [
    {
      role: 'system',
      parts: parseContent(system),
      ...own.with(optional('spelling', spellContent(system))),
    },
  ];
}

/** A message of a shape that we do not know is kept as it is, for this format alone. */
function parseMessage(raw: unknown): ChatMessage {
  if (!isObject(raw)) return { role: 'user', parts: [], ...own.with({ message: raw }) };
  const role = raw.role === 'assistant' || raw.role === 'system' ? raw.role : 'user';
  const spelling = {
    ...spellContent(raw.content),
    // Newer models take system messages inside the conversation; others have to be told before it.
    ...(role === 'system' ? { place: 'conversation' } : {}),
    ...(raw.role === role ? {} : { role: raw.role }),
  };
  return {
    role,
    parts: parseContent(raw.content),
    ...own.with({ ...otherMembers(raw, ['role', 'content']), ...optional('spelling', spelling) }),
  };
}

/** How a content is written of which the interchange has one way to write it. */
function spellContent(content: unknown): JsonObject {
  return Array.isArray(content) ? { content: 'list' } : {};
}

/** The gateway's own member of a tool is left behind. What has no schema is Anthropic's, and kept whole. */
function parseTool(raw: JsonObject): ChatTool {
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
