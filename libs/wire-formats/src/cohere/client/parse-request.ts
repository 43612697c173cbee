import { missingField } from '@gateway/errors';
import type {
  ChatMessage,
  ChatPart,
  ChatRequest,
  ChatSettings,
  ChatTool,
  JsonObject,
  MessageRole,
  ToolChoice,
} from '@gateway/interchange';
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
import { own } from '../shared/own-members.ts';
import { numberSettings, parseResponseFormat } from '../shared/settings.ts';
import { parseMediaUrl } from '../../common/media-url.ts';
import { parseToolCall } from '../shared/tool-call.ts';

/**
 * Parses a request to Cohere's chat API, version 2.
 * @throws GatewayError `missing_field` if the body has no messages, as in requests of API version 1
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
  /** Request fields that are parsed completely into settings. */
  readonly read: readonly string[];
}

/**
 * Parses the settings of a request. A field with an unexpected type is kept unchanged, so that the provider
 * can validate it.
 */
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
  // `thinking` also stays in the extensions, because Cohere may add fields to `thinking`.
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

function parseMessage(raw: JsonObject): ChatMessage {
  const role = mapRole(raw.role);
  const content = parseContent(raw.content);
  const parts = role === 'tool' ? [parseResult(raw, content)] : parseTurn(raw, content);
  const read = ['role', 'content', 'tool_calls', 'tool_plan', ...(role === 'tool' ? ['tool_call_id'] : [])];
  const spelling = {
    content: Array.isArray(raw.content) ? 'list' : 'text',
    ...(raw.role === role ? {} : { role: raw.role }),
  };
  return { role, parts, extensions: own.of({ ...otherMembers(raw, read), spelling }) };
}

function mapRole(role: unknown): MessageRole {
  switch (role) {
    case 'system':
    case 'assistant':
    case 'tool':
      return role;
    case 'developer':
      return 'system';
    default:
      return 'user';
  }
}

function parseResult(raw: JsonObject, parts: readonly ChatPart[]): ChatPart {
  return { type: 'tool-result', callId: asText(raw.tool_call_id) ?? '', parts };
}

/**
 * Parses message parts in the order in which a model produces them. A model produces the plan first, then
 * reasoning and text, and then tool calls.
 */
function parseTurn(raw: JsonObject, content: readonly ChatPart[]): ChatPart[] {
  const plan = asText(raw.tool_plan);
  const planned: ChatPart[] = plan === undefined ? [] : [planPart(plan)];
  return [...planned, ...content, ...asList(raw.tool_calls).filter(isObject).map(parseToolCall)];
}

/** Parses the model's plan for its tool calls. Cohere sends the plan in a separate field. */
function planPart(text: string): ChatPart {
  return { type: 'thinking', text, extensions: own.of({ spelling: { field: 'tool_plan' } }) };
}

function parseContent(content: unknown): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content).map(parsePart);
}

/**
 * Parses a message part. A part with an unknown shape is kept unchanged and sent only to providers that use
 * Cohere's format.
 */
function parsePart(raw: unknown): ChatPart {
  const known = isObject(raw) ? parseKnownPart(raw) : undefined;
  return known ?? { type: 'opaque', extensions: own.of({ part: raw }) };
}

function parseKnownPart(raw: JsonObject): ChatPart | undefined {
  const text = asText(raw.type === 'thinking' ? raw.thinking : raw.text);
  const image = asObject(raw.image_url);
  const url = asText(image?.url);
  switch (raw.type) {
    case 'text':
    case 'thinking':
      return text === undefined
        ? undefined
        : { type: raw.type, text, ...own.with(otherMembers(raw, ['type', raw.type])) };
    case 'image_url': {
      if (image === undefined || url === undefined) return undefined;
      const rest = {
        ...otherMembers(raw, ['type', 'image_url']),
        ...optional('image_url', otherMembers(image, ['url'])),
      };
      return { type: 'image', source: parseMediaUrl(url), ...own.with(rest) };
    }
    default:
      return undefined;
  }
}
