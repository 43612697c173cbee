import type { RequestOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { invalidBody, invalidField, missingField, modelCharactersMax } from '../../common/outline-request.ts';
import { outlineMessage } from './outline-messages.ts';
import { outlineToolChoice, outlineTool } from './outline-tools.ts';

/** Far beyond any model's context; each costs some microseconds and a few hundred bytes. */
const messagesMax = 32_768;

/**
 * What the gateway needs to know of a request. Only fields that it reads are judged: the rest is the provider's.
 *
 * @throws GatewayError `missing_field` or `invalid_field`, with `param`.
 */
export function outlineRequest(tape: JsonTape): RequestOutline {
  if (tape.kind(tape.root) !== 'object') throw invalidBody();
  const toolsNode = readArray(tape, 'tools');
  const tools = toolsNode === undefined ? [] : tape.items(toolsNode);
  const messages = readArray(tape, 'messages');
  if (messages === undefined) throw missingField('messages');
  const messageNodes = tape.items(messages);
  if (messageNodes.length > messagesMax) {
    throw invalidField('messages', `a list of at most ${messagesMax} messages`);
  }
  const maxOutputTokens = readNumber(tape, 'max_completion_tokens') ?? readNumber(tape, 'max_tokens');
  return {
    format: 'chat-completions',
    model: readModel(tape),
    stream: readStream(tape),
    tools: tools.map((tool, index) => outlineTool(tape, tool, index)),
    toolsRange: toolsNode === undefined ? undefined : tape.range(toolsNode),
    toolChoice: outlineToolChoice(tape, tape.get(tape.root, 'tool_choice')),
    messages: messageNodes.map((message, index) => outlineMessage(tape, message, index)),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** A member that is absent or null, which clients use for "not set", is undefined. */
function findSet(tape: JsonTape, name: string): JsonNode | undefined {
  const node = tape.get(tape.root, name);
  return node === undefined || tape.kind(node) === 'null' ? undefined : node;
}

function readModel(tape: JsonTape): string {
  const node = findSet(tape, 'model');
  if (node === undefined) throw missingField('model');
  const model = tape.stringValue(node);
  if (model === undefined || model === '' || model.length > modelCharactersMax)
    throw invalidField('model', 'a model name');
  return model;
}

function readStream(tape: JsonTape): boolean {
  const node = findSet(tape, 'stream');
  if (node === undefined) return false;
  if (tape.kind(node) !== 'boolean') throw invalidField('stream', 'true or false');
  return tape.value(node) === true;
}

function readArray(tape: JsonTape, name: string): JsonNode | undefined {
  const node = findSet(tape, name);
  if (node !== undefined && tape.kind(node) !== 'array') throw invalidField(name, 'an array');
  return node;
}

function readNumber(tape: JsonTape, name: string): number | undefined {
  const node = findSet(tape, name);
  return node !== undefined && tape.kind(node) === 'number' ? Number(tape.value(node)) : undefined;
}

/** Whether the client requests the usage of a streamed answer (`stream_options.include_usage`). */
export function requestsStreamedUsage(tape: JsonTape): boolean {
  const options = tape.get(tape.root, 'stream_options');
  const asked = options === undefined ? undefined : tape.get(options, 'include_usage');
  return asked !== undefined && tape.kind(asked) === 'boolean' && tape.value(asked) === true;
}
