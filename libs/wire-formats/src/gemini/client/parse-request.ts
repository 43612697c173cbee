import { missingField } from '@gateway/errors';
import type { ChatMessage, ChatPart, ChatRequest, JsonObject, ToolResultPart } from '@gateway/interchange';
import type { RequestRoute } from '../../common/format.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { camelMembers, own } from '../shared/own-members.ts';
import type { CallIds } from '../shared/call-ids.ts';
import { createCallIds } from '../shared/call-ids.ts';
import { parseSettings } from './parse-settings.ts';
import { parseToolConfig, parseTools } from './parse-tools.ts';
import { parseMediaPart } from '../shared/media.ts';

const readMembers = [
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
] as const;

/**
 * Parses a `generateContent` or `streamGenerateContent` request. The URL contains the model name and selects
 * streaming.
 * @throws GatewayError `missing_field` for a body without contents
 */
export function parseRequest(tape: JsonTape, route?: RequestRoute): ChatRequest {
  const body = camelMembers(asObject(tape.value(tape.root)) ?? {});
  if (!Array.isArray(body.contents)) throw missingField('contents');
  const ids = createCallIds();
  const { settings, rest: configRest, spelling } = parseSettings(body.generationConfig);
  const { toolChoice, rest: toolConfigRest, spelling: choiceSpelling } = parseToolConfig(body.toolConfig);
  return {
    model: route?.model ?? asText(body.model) ?? '',
    messages: [
      ...parseSystem(body.systemInstruction, ids),
      ...asList(body.contents)
        .filter(isObject)
        .map((content) => parseContent(content, ids)),
    ],
    tools: parseTools(body.tools),
    toolChoice,
    settings,
    stream: route?.stream ?? false,
    streamsUsage: true,
    extensions: own.of({
      ...otherMembers(body, readMembers),
      ...optional('generationConfig', configRest),
      ...optional('toolConfig', toolConfigRest),
      spelling: { ...spelling, ...choiceSpelling, ...optional('model', asText(body.model)) },
    }),
  };
}

function parseSystem(raw: unknown, ids: CallIds): ChatMessage[] {
  const content = asObject(raw);
  return content === undefined ? [] : [{ ...parseContent(content, ids), role: 'system' }];
}

function parseContent(raw: JsonObject, ids: CallIds): ChatMessage {
  const content = camelMembers(raw);
  const role = content.role === 'model' ? 'assistant' : 'user';
  const spelling = { role: asText(content.role) ?? null };
  return {
    role,
    parts: listOf(content.parts).map((part) => parsePart(part, ids)),
    extensions: own.of({ ...otherMembers(content, ['role', 'parts']), spelling }),
  };
}

/** Google's API accepts a single part instead of a list of parts. */
function listOf(parts: unknown): readonly unknown[] {
  return isObject(parts) ? [parts] : asList(parts);
}

/**
 * Parses a part. A part with an unknown shape is kept unchanged and sent only to providers that use the
 * Gemini format.
 */
function parsePart(raw: unknown, ids: CallIds): ChatPart {
  const part = isObject(raw) ? camelMembers(raw) : {};
  return (
    parseText(part) ??
    parseMediaPart(part) ??
    parseCall(part, ids) ??
    parseResult(part, ids) ?? { type: 'opaque', extensions: own.of({ part: raw }) }
  );
}

function parseText(part: JsonObject): ChatPart | undefined {
  const text = asText(part.text);
  if (text === undefined) return undefined;
  const signature = asText(part.thoughtSignature);
  const rest = otherMembers(part, ['text', 'thought', 'thoughtSignature']);
  return part.thought === true
    ? { type: 'thinking', text, ...optional('signature', signature), ...own.with(rest) }
    : { type: 'text', text, ...own.with({ ...rest, ...optional('thoughtSignature', signature) }) };
}

function parseCall(part: JsonObject, ids: CallIds): ChatPart | undefined {
  const raw = asObject(part.functionCall);
  if (raw === undefined) return undefined;
  const call = camelMembers(raw);
  const name = asText(call.name) ?? '';
  return {
    type: 'tool-call',
    id: ids.ofCall(asText(call.id), name),
    name,
    kind: 'function',
    argumentsText: JSON.stringify(call.args ?? {}),
    ...optional('signature', asText(part.thoughtSignature)),
    ...own.with({
      ...withoutThought(otherMembers(part, ['functionCall', 'thoughtSignature'])),
      ...optional('functionCall', otherMembers(call, ['id', 'name', 'args'])),
    }),
  };
}

function parseResult(part: JsonObject, ids: CallIds): ToolResultPart | undefined {
  const raw = asObject(part.functionResponse);
  if (raw === undefined) return undefined;
  const answer = camelMembers(raw);
  const name = asText(answer.name) ?? '';
  const { parts, isError, response } = parseResponse(answer.response);
  const shown = asList(answer.parts).map((shownPart) => parsePart(shownPart, ids));
  const rest = {
    ...withoutThought(otherMembers(part, ['functionResponse'])),
    ...optional('functionResponse', otherMembers(answer, ['id', 'name', 'response', 'parts'])),
  };
  return {
    type: 'tool-result',
    callId: ids.ofResult(asText(answer.id), name),
    parts: [...parts, ...shown],
    ...(isError ? { isError } : {}),
    extensions: own.of({ ...rest, spelling: { name, id: asText(answer.id) ?? null, response } }),
  };
}

interface ReadResponse {
  readonly parts: readonly ChatPart[];
  readonly isError: boolean;
  /**
   * The function's original response object. Undefined if `parts` and `isError` represent the whole object.
   */
  readonly response: JsonObject | undefined;
}

/**
 * Parses a function response. In Google's format, `output` contains the result and `error` contains the
 * error. An object without `output` and `error` is itself the result.
 */
function parseResponse(response: unknown): ReadResponse {
  const object = asObject(response) ?? {};
  const [key, ...others] = Object.keys(object);
  const text = key === undefined ? undefined : asText(object[key]);
  if (others.length === 0 && text !== undefined && (key === 'output' || key === 'error'))
    return { parts: [{ type: 'text', text }], isError: key === 'error', response: undefined };
  const parts: ChatPart[] = key === undefined ? [] : [{ type: 'text', text: JSON.stringify(object) }];
  return { parts, isError: false, response: object };
}

/** Drops the field `thought` with the value false, which some clients add to every part. */
function withoutThought(members: JsonObject): JsonObject {
  return members.thought === false ? otherMembers(members, ['thought']) : members;
}
