import { unknownField } from '@gateway/errors';
import {
  findSet,
  invalidBody,
  readArray,
  readMessages,
  readModel,
  readNumber,
  readStream,
} from '../../common/outline-request.ts';
import type { MessageOutline, RequestOutline } from '@gateway/interchange';
import { cloudFields } from '../../common/gateway-fields.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import { outlineMessage, outlineSystem } from './outline-messages.ts';
import { hasCacheControl, outlineTool, outlineToolChoice } from './outline-tools.ts';

/**
 * Reads the fields that the gateway needs from a messages request or a token count request. The gateway
 * validates only the fields that it reads. The provider validates all other fields.
 * @throws GatewayError `missing_field`, `invalid_field` or `unknown_field`, with the name of the field as
 * `param`.
 */
export function outlineRequest(tape: JsonTape): RequestOutline {
  if (tape.kind(tape.root) !== 'object') throw invalidBody();
  const cloudField = cloudFields.find((name) => tape.get(tape.root, name) !== undefined);
  if (cloudField !== undefined) throw unknownField(cloudField);
  const toolsNode = readArray(tape, 'tools');
  const tools = toolsNode === undefined ? [] : tape.items(toolsNode);
  const systemNode = findSet(tape, 'system');
  const maxOutputTokens = readNumber(tape, 'max_tokens');
  return {
    format: 'messages',
    model: readModel(tape),
    stream: readStream(tape),
    tools: tools.map((tool, index) => outlineTool(tape, tool, index)),
    toolsRange: toolsNode === undefined ? undefined : tape.range(toolsNode),
    toolChoice: outlineToolChoice(tape, findSet(tape, 'tool_choice')),
    messages: outlineMessages(tape),
    ...(systemNode === undefined ? {} : { system: outlineSystem(tape, systemNode) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

function outlineMessages(tape: JsonTape): MessageOutline[] {
  const outlines = readMessages(tape).map((message, index) => outlineMessage(tape, message, index));
  // A cache marker at the top level of the request applies to the last block.
  const last = outlines.at(-1);
  if (last === undefined || !hasCacheControl(tape, tape.root)) return outlines;
  return [...outlines.slice(0, -1), { ...last, cacheControl: true }];
}
