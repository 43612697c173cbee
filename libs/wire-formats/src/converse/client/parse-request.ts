import { isDeepStrictEqual } from 'node:util';
import type { ChatMessage, ChatRequest, JsonObject } from '@gateway/interchange';
import type { RequestRoute } from '../../common/format.ts';
import { parseExactJson } from '../../json/parse-json.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import { asList, asObject, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseContent } from '../blocks/parse-block.ts';
import { own } from '../own.ts';
import { parseSettings } from '../settings.ts';
import { renderToolChoice } from '../tool-choice.ts';
import { outlineToolChoice } from './outline-request.ts';
import { parseTools } from './parse-tools.ts';

/** The whole request. Its shape has been judged by `outlineRequest`; what is of no use here is kept for this format. */
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
    // The format's streams tell usage always.
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

/** Turns that follow one of their own role, or speak for the system between others, are told apart when written again. */
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
