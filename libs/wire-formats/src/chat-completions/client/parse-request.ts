import { isDeepStrictEqual } from 'node:util';
import type { ChatRequest, ChatSettings, ChatTool, JsonObject } from '@gateway/interchange';
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
import { cloudFields, examplesField } from '../../common/gateway-fields.ts';
import { ownExtensions, withOwn, readCacheMarker } from '../shared/own-members.ts';
import { parseGrammar, renderToolChoice } from '../shared/tools.ts';
import { outlineToolChoice } from './outline-tools.ts';
import { parseMessage } from './parse-message.ts';
import {
  isCarriedWhole,
  parseResponseFormat,
  booleanSettings,
  maxTokensFields,
  numberSettings,
  textSettings,
} from '../shared/settings.ts';

const parsedMembers = ['model', 'messages', 'stream', 'tools', 'tool_choice', 'stream_options'] as const;

/**
 * Parses a request that `outlineRequest` has validated. Fields that the interchange lacks are kept for
 * providers that use the chat completions format.
 */
export function parseRequest(tape: JsonTape): ChatRequest {
  const body = asObject(parseExactJson(tape.text(tape.root))) ?? {};
  const toolChoice = outlineToolChoice(tape, tape.get(tape.root, 'tool_choice'));
  const streamOptions = asObject(body.stream_options) ?? {};
  const { settings, read } = parseSettings(body);
  const tools = asList(body.tools).filter(isObject).map(parseTool);
  const rest = otherMembers(body, [...parsedMembers, ...cloudFields, ...read]);
  // A provider that uses the client's format receives the tool choice without tools and rejects the request.
  // For a provider that uses another format, a tool choice without tools is dropped.
  const isCarried =
    tools.length > 0 && isDeepStrictEqual(renderToolChoice(toolChoice, tools), body.tool_choice ?? undefined);
  return {
    model: asText(body.model) ?? '',
    messages: asList(body.messages).filter(isObject).map(parseMessage),
    tools,
    toolChoice,
    settings,
    stream: body.stream === true,
    streamsUsage: streamOptions.include_usage === true,
    ...withOwn({
      ...rest,
      ...optional('stream_options', otherMembers(streamOptions, ['include_usage'])),
      ...(isCarried ? {} : optional('tool_choice', body.tool_choice)),
    }),
  };
}

interface ReadSettings {
  readonly settings: ChatSettings;
  /** Fields that are parsed completely into settings. The extensions do not repeat the parsed fields. */
  readonly read: readonly string[];
}

/** A field with an unexpected type is kept unchanged, so that the provider can validate it. */
function parseSettings(body: JsonObject): ReadSettings {
  const settings: Record<string, unknown> = {};
  const read: string[] = [];
  const readInto = (member: string, name: keyof ChatSettings, value: unknown): void => {
    if (value === undefined) return;
    settings[name] = value;
    read.push(member);
  };
  for (const [member, name] of numberSettings) readInto(member, name, asNumber(body[member]));
  for (const [member, name] of textSettings) readInto(member, name, asText(body[member]));
  for (const [member, name] of booleanSettings) readInto(member, name, asBoolean(body[member]));
  readInto('stop', 'stopSequences', parseStop(body.stop));
  // The extensions also keep fields with several spellings, to record the spelling that the client used.
  settings.maxOutputTokens = maxTokensFields
    .map((field) => asNumber(body[field]))
    .find((value) => value !== undefined);
  settings.topK = asNumber(body.top_k);
  // Mistral's name for the field `seed`.
  settings.seed ??= asNumber(body.random_seed);
  settings.responseFormat = parseResponseFormat(body.response_format);
  if (isCarriedWhole(body.response_format)) read.push('response_format');
  const set: ChatSettings = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  );
  return { settings: set, read };
}

function parseStop(stop: unknown): readonly string[] | undefined {
  if (typeof stop === 'string') return [stop];
  const texts = asList(stop).filter((text) => typeof text === 'string');
  return Array.isArray(stop) && texts.length === stop.length ? texts : undefined;
}

function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Removes the gateway's own field from a tool definition. */
function parseTool(raw: JsonObject): ChatTool {
  const kind = raw.type === 'custom' ? 'custom' : 'function';
  const body = asObject(raw[kind]);
  const name = asText(body?.name);
  if (body === undefined || name === undefined) {
    return { kind: 'built-in', extensions: ownExtensions(otherMembers(raw, [examplesField])) };
  }
  const isStrict = kind === 'function' && typeof body.strict === 'boolean';
  const grammar = kind === 'custom' ? parseGrammar(body.format) : undefined;
  const read = [
    'name',
    examplesField,
    ...(kind === 'function' ? ['parameters'] : []),
    ...(isStrict ? ['strict'] : []),
    ...(grammar === undefined ? [] : ['format']),
  ];
  const description = asText(body.description);
  const rest = otherMembers(body, description === undefined ? read : [...read, 'description']);
  return {
    kind,
    name,
    ...optional('description', description),
    ...(kind === 'function' && body.parameters !== undefined ? { parameters: body.parameters } : {}),
    ...(isStrict ? { strict: body.strict === true } : {}),
    ...optional('grammar', grammar),
    ...readCacheMarker(raw),
    ...readCacheMarker(body),
    ...withOwn({ ...otherMembers(raw, ['type', kind, examplesField]), ...optional(kind, rest) }),
  };
}
