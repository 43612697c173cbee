import { isDeepStrictEqual } from 'node:util';
import type { ChatRequest } from '@gateway/interchange';
import type { JsonTape } from '../../json/json-tape.ts';
import { parseExactJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { cloudFields } from '../../common/gateway-fields.ts';
import { withOwn } from '../own-extensions.ts';
import { renderToolChoice } from '../render-tool-choice.ts';
import { outlineToolChoice } from './outline-tool-choice.ts';
import { parseMessage } from './parse-message.ts';
import { parseSettings } from './parse-settings.ts';
import { parseTool } from './parse-tool.ts';

const judgedMembers = ['model', 'messages', 'stream', 'tools', 'tool_choice', 'stream_options'] as const;

/** The whole request. Its shape has been judged by `outlineRequest`; what is of no use here is kept for this format. */
export function parseRequest(tape: JsonTape): ChatRequest {
  const body = asObject(parseExactJson(tape.text(tape.root))) ?? {};
  const toolChoice = outlineToolChoice(tape, tape.get(tape.root, 'tool_choice'));
  const streamOptions = asObject(body.stream_options) ?? {};
  const { settings, read } = parseSettings(body);
  const tools = asList(body.tools).filter(isObject).map(parseTool);
  const rest = otherMembers(body, [...judgedMembers, ...cloudFields, ...read]);
  // A choice without tools is kept apart, so that only a client of this very format gets its provider's opinion of it.
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
