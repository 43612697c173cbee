import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import type { CallPlace } from '../../common/format.ts';

/** The calls of functions in the conversation, in its order. One that is not written as the format has it is left out. */
export function listCalls(tape: JsonTape): CallPlace[] {
  const messages = tape.get(tape.root, 'messages');
  if (messages === undefined) return [];
  return tape.items(messages).flatMap((message) => {
    const calls = tape.get(message, 'tool_calls');
    return calls === undefined ? [] : tape.items(calls).flatMap((call) => placeCall(tape, call));
  });
}

function placeCall(tape: JsonTape, call: JsonNode): CallPlace[] {
  const body = tape.get(call, 'function');
  if (body === undefined) return [];
  const name = tape.get(body, 'name');
  const given = tape.get(body, 'arguments');
  const calledName = tape.stringValue(name);
  if (name === undefined || calledName === undefined || given === undefined) return [];
  if (tape.kind(given) !== 'string') return [];
  return [
    {
      id: tape.stringValue(tape.get(call, 'id')) ?? '',
      name: calledName,
      nameRange: tape.range(name),
      argumentsRange: tape.range(given),
      isText: true,
      argumentsText: () => tape.stringValue(given) ?? '',
    },
  ];
}
