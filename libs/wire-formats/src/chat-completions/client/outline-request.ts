import {
  invalidBody,
  readArray,
  readMessages,
  readModel,
  readNumber,
  readStream,
} from '../../common/outline-request.ts';
import type { RequestOutline } from '@gateway/interchange';
import type { JsonTape } from '../../json/json-tape.ts';
import { outlineMessage } from './outline-messages.ts';
import { outlineToolChoice, outlineTool } from './outline-tools.ts';

/**
 * Reads the fields that the gateway needs from a request. The gateway validates only the fields that it
 * reads. The provider validates all other fields.
 * @throws GatewayError `missing_field` or `invalid_field`, with the name of the field as `param`.
 */
export function outlineRequest(tape: JsonTape): RequestOutline {
  if (tape.kind(tape.root) !== 'object') throw invalidBody();
  const toolsNode = readArray(tape, 'tools');
  const tools = toolsNode === undefined ? [] : tape.items(toolsNode);
  const messages = readMessages(tape);
  const maxOutputTokens = readNumber(tape, 'max_completion_tokens') ?? readNumber(tape, 'max_tokens');
  return {
    format: 'chat-completions',
    model: readModel(tape),
    stream: readStream(tape),
    tools: tools.map((tool, index) => outlineTool(tape, tool, index)),
    toolsRange: toolsNode === undefined ? undefined : tape.range(toolsNode),
    toolChoice: outlineToolChoice(tape, tape.get(tape.root, 'tool_choice')),
    messages: messages.map((message, index) => outlineMessage(tape, message, index)),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** Whether the client wants token usage in a streamed response (`stream_options.include_usage`). */
export function requestsStreamedUsage(tape: JsonTape): boolean {
  const options = tape.get(tape.root, 'stream_options');
  const included = options === undefined ? undefined : tape.get(options, 'include_usage');
  return included !== undefined && tape.kind(included) === 'boolean' && tape.value(included) === true;
}
