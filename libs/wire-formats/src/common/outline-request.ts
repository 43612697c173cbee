import { GatewayError, invalidField, missingField } from '@gateway/errors';
import type { MessageOutline, ToolDescription, ToolOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import type { CallPlace } from './format.ts';

/** The error for a body that is valid JSON but not an object. */
export function invalidBody(): GatewayError {
  return new GatewayError('invalid_field', { message: 'The body must be a JSON object.' });
}

/**
 * Maximum length of a model name. Real model names have at most about 100 characters. Model names are copied
 * into headers and logs.
 */
export const modelCharactersMax = 512;

/**
 * Maximum number of messages per request, far more than any model's context can contain. Each message costs a
 * few microseconds and a few hundred bytes of memory.
 */
const messagesMax = 32_768;

/**
 * Returns a field of the body. Returns undefined if the field is absent or null, because clients send null
 * for unset fields.
 */
export function findSet(tape: JsonTape, name: string): JsonNode | undefined {
  const node = tape.get(tape.root, name);
  return node === undefined || tape.kind(node) === 'null' ? undefined : node;
}

/** @throws GatewayError `missing_field` or `invalid_field` */
export function readModel(tape: JsonTape): string {
  const node = findSet(tape, 'model');
  if (node === undefined) throw missingField('model');
  const model = tape.stringValue(node);
  if (model === undefined || model === '' || model.length > modelCharactersMax)
    throw invalidField('model', 'a model name');
  return model;
}

/** @throws GatewayError `invalid_field` */
export function readStream(tape: JsonTape): boolean {
  const node = findSet(tape, 'stream');
  if (node === undefined) return false;
  if (tape.kind(node) !== 'boolean') throw invalidField('stream', 'true or false');
  return tape.value(node) === true;
}

/** @throws GatewayError `invalid_field` */
export function readArray(tape: JsonTape, name: string): JsonNode | undefined {
  const node = findSet(tape, name);
  if (node !== undefined && tape.kind(node) !== 'array') throw invalidField(name, 'an array');
  return node;
}

/** Returns a numeric field of the body. Returns undefined if the value is not a number. */
export function readNumber(tape: JsonTape, name: string): number | undefined {
  const node = findSet(tape, name);
  return node !== undefined && tape.kind(node) === 'number' ? Number(tape.value(node)) : undefined;
}

/** @throws GatewayError `missing_field` or `invalid_field` */
export function readMessages(tape: JsonTape): JsonNode[] {
  const messages = readArray(tape, 'messages');
  if (messages === undefined) throw missingField('messages');
  const nodes = tape.items(messages);
  if (nodes.length > messagesMax) throw invalidField('messages', `a list of at most ${messagesMax} messages`);
  return nodes;
}

/**
 * Returns descriptions of the given tools in a request, in the given order.
 * @param nodes all tools of the request, by index. By default, each element of the tool list is one tool.
 */
export function describeTools(
  tape: JsonTape,
  tools: readonly ToolOutline[],
  describe: (node: JsonNode, tool: ToolOutline) => ToolDescription,
  nodes = listTools(tape),
): ToolDescription[] {
  return tools.flatMap((tool) => {
    const node = nodes[tool.index];
    return node === undefined ? [] : [describe(node, tool)];
  });
}

function listTools(tape: JsonTape): readonly JsonNode[] {
  const list = tape.get(tape.root, 'tools');
  return list === undefined ? [] : tape.items(list);
}

/** Examples of a tool's use must be strings. Examples that are not strings are skipped. */
export function readExamples(tape: JsonTape, node: JsonNode | undefined): string[] {
  return node === undefined ? [] : tape.items(node).flatMap((item) => tape.stringValue(item) ?? []);
}

/** The text and byte ranges of a message's strings, computed on demand. */
export function outlineTexts(
  tape: JsonTape,
  nodes: () => readonly JsonNode[],
): Pick<MessageOutline, 'text' | 'textRanges'> {
  return {
    textRanges: () => nodes().map((node) => tape.range(node)),
    text: () =>
      nodes()
        .map((node) => tape.stringValue(node) ?? '')
        .join('\n'),
  };
}

/** The positions of a tool call's fields, in formats that build messages from blocks. */
interface CallBlock {
  /**
   * Returns the object that contains the fields of the tool call. Returns undefined for blocks that are not
   * tool calls.
   */
  readonly bodyOf: (tape: JsonTape, block: JsonNode) => JsonNode | undefined;
  readonly idMember: string;
}

/** Lists the tool calls in the transcript, in order. Malformed tool calls are skipped. */
export function listBlockCalls(tape: JsonTape, { bodyOf, idMember }: CallBlock): CallPlace[] {
  const messages = tape.get(tape.root, 'messages');
  if (messages === undefined) return [];
  return tape.items(messages).flatMap((message) => {
    const content = tape.get(message, 'content');
    if (content === undefined) return [];
    return tape.items(content).flatMap((block) => {
      const body = bodyOf(tape, block);
      return body === undefined ? [] : placeCall(tape, body, idMember);
    });
  });
}

function placeCall(tape: JsonTape, body: JsonNode, idMember: string): CallPlace[] {
  const name = tape.get(body, 'name');
  const input = tape.get(body, 'input');
  const calledName = tape.stringValue(name);
  if (name === undefined || calledName === undefined || input === undefined) return [];
  return [
    {
      id: tape.stringValue(tape.get(body, idMember)) ?? '',
      name: calledName,
      nameRange: tape.range(name),
      argumentsRange: tape.range(input),
      isText: false,
      argumentsText: () => tape.text(input),
    },
  ];
}
