import { isDeepStrictEqual } from 'node:util';
import type { ChatMessage, ChatRequest, ChatSettings, ChatTool, JsonObject } from '@gateway/interchange';
import type { JsonTape } from '../../json/json-tape.ts';
import { parseExactJson } from '../../json/parse-json.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { own, parseCacheControl } from '../shared/own-members.ts';
import { parseContent } from '../shared/blocks.ts';
import { renderToolChoice } from '../shared/tools.ts';
import { outlineToolChoice } from './outline-tools.ts';
import { examplesField } from '../../common/gateway-fields.ts';
import { parseOutputFormat, parseThinking, renderOutputFormat, renderThinking } from '../shared/settings.ts';

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
  // A provider that uses the client's format receives the tool choice without tools and rejects the request.
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

interface ReadSettings {
  readonly settings: ChatSettings;
  /** The request fields that were parsed into settings. */
  readonly read: readonly string[];
  /** The parts of the parsed fields that have no equivalent setting. */
  readonly rest: JsonObject;
}

/** A field with an unexpected type is kept unchanged, so that the provider can validate it. */
function parseSettings(body: JsonObject): ReadSettings {
  const parts = [
    readNumbers(body),
    readStopSequences(body),
    readMetadata(body),
    readOutput(body),
    readThinking(body),
    readParallel(body),
  ];
  return {
    settings: Object.assign({}, ...parts.map((part) => part.settings)) as ChatSettings,
    read: parts.flatMap((part) => part.read),
    rest: Object.assign({}, ...parts.map((part) => part.rest)) as JsonObject,
  };
}

const nothing: ReadSettings = { settings: {}, read: [], rest: {} };

/** Request fields, each with the corresponding interchange setting. */
const numberSettings = [
  ['max_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
] as const;

function readNumbers(body: JsonObject): ReadSettings {
  const found = numberSettings.flatMap(([member, name]) => {
    const value = asNumber(body[member]);
    return value === undefined ? [] : [{ member, name, value }];
  });
  return {
    settings: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    read: found.map(({ member }) => member),
    rest: {},
  };
}

function readStopSequences({ stop_sequences: raw }: JsonObject): ReadSettings {
  const texts = asList(raw).filter((text) => typeof text === 'string');
  if (!Array.isArray(raw) || texts.length < raw.length) return nothing;
  return { settings: { stopSequences: texts }, read: ['stop_sequences'], rest: {} };
}

function readMetadata({ metadata }: JsonObject): ReadSettings {
  const endUser = asText(asObject(metadata)?.user_id);
  if (!isObject(metadata) || endUser === undefined) return nothing;
  return {
    settings: { endUser },
    read: ['metadata'],
    rest: optional('metadata', otherMembers(metadata, ['user_id'])),
  };
}

/**
 * Reads `output_config` and the older field `output_format`. The field `output_format` is kept unchanged,
 * because it requires a beta header.
 */
function readOutput({ output_config: config, output_format: older }: JsonObject): ReadSettings {
  const { effort, format } = asObject(config) ?? {};
  const responseFormat = parseOutputFormat(format);
  const isComplete =
    responseFormat !== undefined && isDeepStrictEqual(renderOutputFormat(responseFormat), format);
  const read = [typeof effort === 'string' ? 'effort' : '', isComplete ? 'format' : ''];
  return {
    settings: {
      ...optional('reasoningEffort', asText(effort)),
      ...optional('responseFormat', responseFormat ?? parseOutputFormat(older)),
    },
    read: isObject(config) ? ['output_config'] : [],
    rest: isObject(config) ? optional('output_config', otherMembers(config, read)) : {},
  };
}

function readThinking({ thinking: raw }: JsonObject): ReadSettings {
  const thinking = parseThinking(raw);
  if (thinking === undefined) return nothing;
  const isComplete = isDeepStrictEqual(renderThinking(thinking), raw);
  // If the setting cannot express the whole field, the field is also kept in the extensions.
  return { settings: { thinking }, read: isComplete ? ['thinking'] : [], rest: {} };
}

/**
 * Reads the setting for parallel tool calls, which is needed only to render other formats. `parseRequest`
 * parses the tool choice.
 */
function readParallel({ tool_choice: choice }: JsonObject): ReadSettings {
  const disables = asObject(choice)?.disable_parallel_tool_use;
  return typeof disables === 'boolean' ? { ...nothing, settings: { parallelToolCalls: !disables } } : nothing;
}
