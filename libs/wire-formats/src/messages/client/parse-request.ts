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

const parsedMembers = ['model', 'messages', 'system', 'stream', 'tools', 'tool_choice'] as const;

/**
 * Parses a request that `outlineRequest` has checked. Fields that the interchange lacks are kept for
 * providers that use the messages format.
 */
export function parseRequest(tape: JsonTape): ChatRequest {
  const body = asObject(parseExactJson(tape.text(tape.root))) ?? {};
  const toolChoice = outlineToolChoice(tape, tape.get(tape.root, 'tool_choice'));
  const { settings, read, rest } = parseSettings(body);
  const tools = asList(body.tools).filter(isObject).map(parseTool);
  // A provider that uses the client's format receives a tool choice without tools, and rejects the request.
  // For a provider that uses another format, a tool choice without tools is dropped.
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
    // Streams in the messages format always include usage.
    streamsUsage: body.stream === true,
    ...own.with({
      ...otherMembers(body, [...parsedMembers, ...read]),
      ...rest,
      ...(isCarried ? {} : optional('tool_choice', body.tool_choice)),
    }),
  };
}

/** Parses the top-level system prompt as a message. */
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

/**
 * A message with an unknown shape is kept unchanged and sent only to providers that use the messages format.
 */
function parseMessage(raw: unknown): ChatMessage {
  if (!isObject(raw)) return { role: 'user', parts: [], ...own.with({ message: raw }) };
  const role = raw.role === 'assistant' || raw.role === 'system' ? raw.role : 'user';
  const spelling = {
    ...spellContent(raw.content),
    // Newer models accept system messages inside the conversation.
    // Other formats move system messages to the front of the conversation.
    ...(role === 'system' ? { place: 'conversation' } : {}),
    ...(raw.role === role ? {} : { role: raw.role }),
  };
  return {
    role,
    parts: parseContent(raw.content),
    ...own.with({ ...otherMembers(raw, ['role', 'content']), ...optional('spelling', spelling) }),
  };
}

/**
 * Records whether the content is a list, because the interchange does not distinguish a list from a string.
 */
function spellContent(content: unknown): JsonObject {
  return Array.isArray(content) ? { content: 'list' } : {};
}

/**
 * Removes the gateway's own field from a tool definition. A tool without a schema is one of Anthropic's
 * built-in tools and is kept unchanged.
 */
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
