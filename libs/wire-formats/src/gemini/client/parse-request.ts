import type { ChatMessage, ChatRequest, JsonObject } from '@gateway/interchange';
import type { RequestRoute } from '../../common/format.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { missingField } from '../../common/outline-request.ts';
import { camelMembers } from '../camel-members.ts';
import { own } from '../own.ts';
import { createCallIds, type CallIds } from './call-ids.ts';
import { parsePart } from './parse-part.ts';
import { parseSettings } from './parse-settings.ts';
import { parseToolConfig, parseTools } from './parse-tools.ts';

const readMembers = [
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
] as const;

/**
 * A request of `generateContent` or `streamGenerateContent`. Model and streaming are in the address.
 *
 * @throws GatewayError `missing_field` for a body without contents.
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

/** The API takes one part for a list of one. */
function listOf(parts: unknown): readonly unknown[] {
  return isObject(parts) ? [parts] : asList(parts);
}
