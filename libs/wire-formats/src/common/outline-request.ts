import { GatewayError } from '@gateway/errors';
import type { MessageOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import type { CallPlace } from './format.ts';

/** A required field is not there. `param` is in the caller's spelling. */
export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `The field "${param}" is required.` });
}

/** A field is there and cannot be used. `rule` completes "must be …". */
export function invalidField(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${rule}.` });
}

/** The body is JSON, but not an object. */
export function invalidBody(): GatewayError {
  return new GatewayError('invalid_field', { message: 'The body must be a JSON object.' });
}

/** A field that is not taken in this format. */
export function unknownField(param: string): GatewayError {
  return new GatewayError('unknown_field', { param, message: `The field "${param}" is not known here.` });
}

/** The longest name in use has about a hundred; it goes into headers and the log. */
export const modelCharactersMax = 512;

/** The texts of a message, by the strings that they stand in: where, and decoded. */
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

/** How a format whose messages are lists of blocks writes a call. */
interface CallBlock {
  /** The object that holds the call's members; undefined for another block. */
  readonly bodyOf: (tape: JsonTape, block: JsonNode) => JsonNode | undefined;
  readonly idMember: string;
}

/** The calls in a conversation of blocks, in its order. One that is not written as the format has it is left out. */
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
