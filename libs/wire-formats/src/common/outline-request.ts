import { GatewayError } from '@gateway/errors';
import type { MessageOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import type { CallPlace } from './format.ts';

/** The error for a missing required field. `param` is the field's name in the client's format. */
export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `The field "${param}" is required.` });
}

/** The error for a field with an invalid value. `rule` completes "must be …". */
export function invalidField(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${rule}.` });
}

/** The error for a body that is JSON but not an object. */
export function invalidBody(): GatewayError {
  return new GatewayError('invalid_field', { message: 'The body must be a JSON object.' });
}

/** The error for a field that the format does not have. */
export function unknownField(param: string): GatewayError {
  return new GatewayError('unknown_field', { param, message: `The field "${param}" is not known here.` });
}

/** The longest real names have about 100 characters. Names are copied into headers and logs. */
export const modelCharactersMax = 512;

/** The texts of a message, from the nodes of its strings. Ranges and decoded text are computed on demand. */
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

/** How a call looks in a format whose messages are lists of blocks. */
interface CallBlock {
  /** The object with the call's members. Undefined for blocks that are not calls. */
  readonly bodyOf: (tape: JsonTape, block: JsonNode) => JsonNode | undefined;
  readonly idMember: string;
}

/** The calls in the transcript, in order. Malformed calls are skipped. */
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
