import type { ChatRequest, ChatSettings, ChatTool, JsonObject, ToolChoice } from '@gateway/interchange';
import type { RequestRoute } from '../../common/format.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { missingField } from '../../common/outline-request.ts';
import { own } from '../own.ts';
import { parseResponseFormat } from '../response-format.ts';
import { numberSettings } from '../settings-table.ts';
import { parseMessage } from './parse-message.ts';

/**
 * A request of Cohere's chat, version 2.
 *
 * @throws GatewayError `missing_field` for a body without messages: one of version 1.
 */
export function parseRequest(tape: JsonTape, route?: RequestRoute): ChatRequest {
  const body = asObject(tape.value(tape.root)) ?? {};
  if (!Array.isArray(body.messages)) throw missingField('messages');
  const { settings, read } = parseSettings(body);
  const choice = parseToolChoice(body.tool_choice);
  const rest = otherMembers(body, [
    'model',
    'messages',
    'stream',
    'tools',
    ...(choice.mode === 'unset' ? [] : ['tool_choice']),
    ...read,
  ]);
  return {
    model: route?.model ?? asText(body.model) ?? '',
    messages: body.messages.filter(isObject).map(parseMessage),
    tools: asList(body.tools).filter(isObject).map(parseTool),
    toolChoice: choice,
    settings,
    stream: body.stream === true,
    streamsUsage: true,
    extensions: own.of(rest),
  };
}

interface ReadSettings {
  readonly settings: ChatSettings;
  /** The members that the settings say whole. */
  readonly read: readonly string[];
}

/** A member of an unexpected type is not read: it is kept as it is, and the provider judges it. */
function parseSettings(body: JsonObject): ReadSettings {
  const settings: Record<string, unknown> = {};
  const read: string[] = [];
  const readInto = (member: string, name: keyof ChatSettings, value: unknown): void => {
    if (value === undefined) return;
    settings[name] = value;
    read.push(member);
  };
  for (const [member, name] of numberSettings) readInto(member, name, asNumber(body[member]));
  const stops = asList(body.stop_sequences).filter((text) => typeof text === 'string');
  if (stops.length > 0) readInto('stop_sequences', 'stopSequences', stops);
  readInto('response_format', 'responseFormat', parseResponseFormat(body.response_format));
  // Stays in the extensions too: Cohere may come to say more in it.
  const thinking = asObject(body.thinking);
  if (thinking !== undefined) {
    const budgetTokens = asNumber(thinking.token_budget);
    settings.thinking = { enabled: thinking.type !== 'disabled', ...optional('budgetTokens', budgetTokens) };
  }
  return { settings, read };
}

function parseToolChoice(raw: unknown): ToolChoice {
  if (raw === 'REQUIRED') return { mode: 'required' };
  return { mode: raw === 'NONE' ? 'none' : 'unset' };
}

function parseTool(raw: JsonObject): ChatTool {
  const body = asObject(raw.function);
  const name = asText(body?.name);
  if (body === undefined || name === undefined) return { kind: 'built-in', extensions: own.of(raw) };
  const rest = {
    ...otherMembers(raw, ['type', 'function']),
    ...optional('function', otherMembers(body, ['name', 'description', 'parameters'])),
  };
  return {
    kind: 'function',
    name,
    ...optional('description', asText(body.description)),
    ...(body.parameters === undefined ? {} : { parameters: body.parameters }),
    ...own.with(rest),
  };
}
