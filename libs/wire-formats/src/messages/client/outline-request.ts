import type { MessageOutline, RequestOutline } from '@gateway/interchange';
import { cloudFields } from '../../common/gateway-fields.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import {
  modelCharactersMax,
  invalidBody,
  invalidField,
  missingField,
  unknownField,
} from '../../common/outline-request.ts';
import { outlineMessage, outlineSystem } from './outline-messages.ts';
import { hasCacheControl, outlineTool, outlineToolChoice } from './outline-tools.ts';

/** Far beyond any model's context; each costs some microseconds and a few hundred bytes. */
const messagesMax = 32_768;

/**
 * What the gateway needs to know of a request, or of one whose tokens are to be counted. Only fields that it reads are
 * judged: the rest is the provider's.
 *
 * @throws GatewayError `missing_field`, `invalid_field` or `unknown_field`, with `param`.
 */
export function outlineRequest(tape: JsonTape): RequestOutline {
  if (tape.kind(tape.root) !== 'object') throw invalidBody();
  const cloudField = cloudFields.find((name) => tape.get(tape.root, name) !== undefined);
  if (cloudField !== undefined) throw unknownField(cloudField);
  const toolsNode = readArray(tape, 'tools');
  const tools = toolsNode === undefined ? [] : tape.items(toolsNode);
  const systemNode = findSet(tape, 'system');
  const maxTokens = findSet(tape, 'max_tokens');
  return {
    format: 'messages',
    model: readModel(tape),
    stream: readStream(tape),
    tools: tools.map((tool, index) => outlineTool(tape, tool, index)),
    toolsRange: toolsNode === undefined ? undefined : tape.range(toolsNode),
    toolChoice: outlineToolChoice(tape, findSet(tape, 'tool_choice')),
    messages: outlineMessages(tape),
    ...(systemNode === undefined ? {} : { system: outlineSystem(tape, systemNode) }),
    ...(maxTokens !== undefined && tape.kind(maxTokens) === 'number'
      ? { maxOutputTokens: Number(tape.value(maxTokens)) }
      : {}),
  };
}

function outlineMessages(tape: JsonTape): MessageOutline[] {
  const messages = readArray(tape, 'messages');
  if (messages === undefined) throw missingField('messages');
  const nodes = tape.items(messages);
  if (nodes.length > messagesMax) throw invalidField('messages', `a list of at most ${messagesMax} messages`);
  const outlines = nodes.map((message, index) => outlineMessage(tape, message, index));
  // A marker on the request itself applies to its last block.
  const last = outlines.at(-1);
  if (last === undefined || !hasCacheControl(tape, tape.root)) return outlines;
  return [...outlines.slice(0, -1), { ...last, cacheControl: true }];
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
