import type { CatalogModel } from '@gateway/model-catalog';
import type { JsonNode, JsonTape } from '@gateway/wire-formats';

/** Members in which a client turns thinking on, in one format or another. */
const thinkingMembers = ['thinking', 'reasoning', 'reasoning_effort'];
/** Keys of parts that carry signed or encrypted reasoning. Inside a text their quotes would be escaped. */
const signedKeys = ['"signature"', '"redacted_thinking"', '"redactedContent"', '"encrypted_content"'].map(
  (key) => Buffer.from(key),
);

/**
 * Whether a session's context may be changed at all. Where the model binds its signed thinking to every earlier message, not
 * once the client turns thinking on. A conversation that carries signed or encrypted reasoning may be bound, unless the
 * catalogue knows that this model's is not.
 */
export function mayCompressContext(tape: JsonTape, model: CatalogModel | undefined): boolean {
  if (model?.thinkingBinding === true && turnsThinkingOn(tape)) return false;
  const isKnownFree = model !== undefined && !model.thinkingBinding;
  return isKnownFree || !signedKeys.some((key) => tape.bytes.includes(key));
}

function turnsThinkingOn(tape: JsonTape): boolean {
  const additional = tape.get(tape.root, 'additionalModelRequestFields');
  const places = additional === undefined ? [tape.root] : [tape.root, additional];
  return places.some((object) => thinkingMembers.some((name) => isTurnedOn(tape, tape.get(object, name))));
}

function isTurnedOn(tape: JsonTape, node: JsonNode | undefined): boolean {
  if (node === undefined || tape.kind(node) === 'null') return false;
  const type = tape.get(node, 'type');
  return type === undefined || !tape.isString(type, 'disabled');
}
