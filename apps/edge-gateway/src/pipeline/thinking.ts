import type { JsonNode, JsonTape } from '@gateway/wire-formats';

/** Members in which a client turns thinking on, in one format or another. */
const thinkingMembers: readonly string[] = ['thinking', 'reasoning', 'reasoning_effort'];
/** Keys of parts that carry signed or encrypted reasoning. Inside a text their quotes would be escaped. */
const signedKeys = ['"signature"', '"redacted_thinking"', '"redactedContent"', '"encrypted_content"'].map(
  (key) => Buffer.from(key),
);

/** Whether the transcript carries reasoning that its model signed or encrypted. */
export function carriesSignedThinking(tape: JsonTape): boolean {
  return signedKeys.some((key) => tape.bytes.includes(key));
}

/** Whether the client turns thinking on for this request. */
export function turnsThinkingOn(tape: JsonTape, members: readonly string[] = thinkingMembers): boolean {
  const additional = tape.get(tape.root, 'additionalModelRequestFields');
  const places = additional === undefined ? [tape.root] : [tape.root, additional];
  return places.some((object) => members.some((name) => isTurnedOn(tape, tape.get(object, name))));
}

function isTurnedOn(tape: JsonTape, node: JsonNode | undefined): boolean {
  if (node === undefined || tape.kind(node) === 'null') return false;
  const type = tape.get(node, 'type');
  return type === undefined || !tape.isString(type, 'disabled');
}
