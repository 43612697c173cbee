import { GatewayError } from '@gateway/errors';
import type { RequestOutline, ToolChoice } from '@gateway/interchange';
import type { RequestRoute } from '../../common/format.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { modelCharactersMax, invalidBody, invalidField, missingField } from '../../common/outline-request.ts';
import { requestFields } from '../request-fields.ts';
import { outlineMessage, outlineSystem } from './outline-message.ts';
import { outlineTools } from './outline-tools.ts';

/** Far beyond any model's context; each costs some microseconds and a few hundred bytes. */
const messagesMax = 32_768;

/**
 * What the gateway needs to know of a request. The members of the body are judged by name; what is in them, only where
 * the gateway reads it: the rest is the provider's.
 *
 * @throws GatewayError `missing_field`, `invalid_field` or `unknown_field`, with `param`.
 */
export function outlineRequest(tape: JsonTape, route?: RequestRoute): RequestOutline {
  if (tape.kind(tape.root) !== 'object') throw invalidBody();
  if (route === undefined || route.model === '') throw missingField('modelId');
  if (route.model.length > modelCharactersMax) throw invalidField('modelId', 'a model name');
  refuseUnknown(tape);
  const toolConfig = readMember(tape, tape.root, 'toolConfig', 'object');
  const toolsNode = toolConfig && readMember(tape, toolConfig, 'tools', 'array', 'toolConfig.');
  const choice = toolConfig && readMember(tape, toolConfig, 'toolChoice', 'object', 'toolConfig.');
  const system = readMember(tape, tape.root, 'system', 'array');
  const maxOutputTokens = readMaxTokens(tape);
  return {
    format: 'converse',
    model: route.model,
    stream: route.stream,
    tools: toolsNode === undefined ? [] : outlineTools(tape, toolsNode),
    toolsRange: toolsNode === undefined ? undefined : tape.range(toolsNode),
    toolChoice: outlineToolChoice(tape, choice),
    messages: readMessages(tape).map((message, index) => outlineMessage(tape, message, index)),
    ...(system === undefined ? {} : { system: outlineSystem(tape, system) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

const known: ReadonlySet<string> = new Set(requestFields);

function refuseUnknown(tape: JsonTape): void {
  for (const { key } of tape.entries(tape.root)) {
    const name = tape.stringValue(key) ?? '';
    if (known.has(name)) continue;
    const param = name.slice(0, 100);
    throw new GatewayError('unknown_field', { param, message: `The field "${param}" is not known here.` });
  }
}

/** A member that is absent or null is undefined. */
function readMember(
  tape: JsonTape,
  object: JsonNode,
  name: string,
  kind: 'object' | 'array',
  path = '',
): JsonNode | undefined {
  const node = tape.get(object, name);
  if (node === undefined || tape.kind(node) === 'null') return undefined;
  if (tape.kind(node) !== kind) throw invalidField(path + name, kind === 'array' ? 'an array' : 'an object');
  return node;
}

/** A stored prompt brings its own messages, so the API lets them out. */
function readMessages(tape: JsonTape): JsonNode[] {
  const node = readMember(tape, tape.root, 'messages', 'array');
  const messages = node === undefined ? [] : tape.items(node);
  if (messages.length > messagesMax)
    throw invalidField('messages', `a list of at most ${messagesMax} messages`);
  return messages;
}

function readMaxTokens(tape: JsonTape): number | undefined {
  const config = readMember(tape, tape.root, 'inferenceConfig', 'object');
  const node = config && tape.get(config, 'maxTokens');
  return node !== undefined && tape.kind(node) === 'number' ? Number(tape.value(node)) : undefined;
}

/** An unknown choice is the provider's to judge. */
export function outlineToolChoice(tape: JsonTape, choice: JsonNode | undefined): ToolChoice {
  if (choice === undefined) return { mode: 'unset' };
  const tool = tape.get(choice, 'tool');
  const name = tool === undefined ? undefined : tape.stringValue(tape.get(tool, 'name'));
  if (name !== undefined) return { mode: 'tool', name };
  return { mode: tape.get(choice, 'any') === undefined ? 'auto' : 'required' };
}
