import type { JsonNode } from './json/json-node.ts';
import type { JsonTape } from './json/json-tape.ts';
import type { CallPlace } from './request-edit.ts';

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
