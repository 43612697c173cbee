import { isDeepStrictEqual } from 'node:util';
import type { ChatMessage, ChatRequest, ChatSettings, JsonObject } from '@gateway/interchange';
import { cloudFields, examplesField } from '../../common/gateway-fields.ts';
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
import { numberSettings, own, parseTextFormat, renderTextFormat } from '../shared/settings.ts';
import { parseTool, parseToolChoice, renderToolChoice } from '../shared/tools.ts';
import { parseItems } from './parse-items.ts';

const parsedMembers = ['model', 'input', 'instructions', 'stream', 'tools', 'tool_choice'] as const;

/**
 * Parses a request. Fields that the interchange lacks are kept for providers that use the responses format.
 */
export function parseRequest(tape: JsonTape): ChatRequest {
  const body = asObject(parseExactJson(tape.text(tape.root))) ?? {};
  const { settings, read, rest } = parseSettings(body);
  const tools = asList(body.tools).filter(isObject).map(removeExamples).map(parseTool);
  const toolChoice = parseToolChoice(body.tool_choice);
  const isCarried = isDeepStrictEqual(renderToolChoice(toolChoice, tools), body.tool_choice ?? undefined);
  const spelling = typeof body.input === 'string' ? 'text' : Array.isArray(body.input) ? 'list' : 'absent';
  return {
    model: asText(body.model) ?? '',
    messages: [...parseInstructions(body.instructions), ...parseInput(body.input)],
    tools,
    toolChoice,
    settings,
    stream: body.stream === true,
    streamsUsage: true,
    extensions: own.of({
      ...otherMembers(body, [...parsedMembers, ...cloudFields, ...read]),
      ...rest,
      ...(isCarried && tools.length > 0 ? {} : optional('tool_choice', body.tool_choice)),
      input: spelling,
    }),
  };
}

function removeExamples(raw: JsonObject): JsonObject {
  return otherMembers(raw, [examplesField]);
}

function parseInstructions(instructions: unknown): ChatMessage[] {
  if (typeof instructions !== 'string') return [];
  return [
    {
      role: 'system',
      parts: [{ type: 'text', text: instructions }],
      extensions: own.of({ isInstructions: true }),
    },
  ];
}

function parseInput(input: unknown): ChatMessage[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ type: 'text', text: input }] }];
  return parseItems(asList(input));
}

interface ReadSettings {
  readonly settings: ChatSettings;
  /** Names of the parsed request fields. `rest` contains the parts of a field that have no equivalent setting. */
  readonly read: readonly string[];
  readonly rest: JsonObject;
}

function parseSettings(body: JsonObject): ReadSettings {
  const settings: Record<string, unknown> = {};
  const read: string[] = ['reasoning', 'text'];
  const readInto = (member: string, name: keyof ChatSettings, value: unknown): void => {
    if (value === undefined) return;
    settings[name] = value;
    read.push(member);
  };
  for (const [member, name] of numberSettings) readInto(member, name, asNumber(body[member]));
  const { parallel_tool_calls: parallel, user } = body;
  readInto('parallel_tool_calls', 'parallelToolCalls', typeof parallel === 'boolean' ? parallel : undefined);
  readInto('user', 'endUser', asText(user));
  const { effort, ...reasoning } = asObject(body.reasoning) ?? {};
  if (typeof effort === 'string') settings.reasoningEffort = effort;
  const { format, ...text } = asObject(body.text) ?? {};
  const responseFormat = parseTextFormat(format);
  if (responseFormat !== undefined) settings.responseFormat = responseFormat;
  const isWhole = responseFormat !== undefined && isDeepStrictEqual(renderTextFormat(responseFormat), format);
  return {
    settings,
    read,
    rest: {
      ...optional('reasoning', otherMembers(reasoning, [])),
      ...optional('text', { ...otherMembers(text, []), ...(isWhole ? {} : optional('format', format)) }),
    },
  };
}
