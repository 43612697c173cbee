import type { CloudField, JsonNode, JsonTape } from '@gateway/wire-formats';
import { readCloudFields } from '@gateway/wire-formats';
import type { RequestOutline } from '@gateway/interchange';
import type { HostedFields } from '@gateway/providers';
import { createHostedCredential, renderHostedCredential } from '@gateway/providers';
import { bindsReasoning, type CatalogModel } from '@gateway/model-catalog';

/** Each step of a request up to this size takes less than ten milliseconds, whatever its body has. */
const shortBytesMax = 128 * 1024;

/**
 * Returns whether other requests must run between the steps of this one. A step of a large request can take tens of
 * milliseconds.
 */
export function isLarge({ length }: { readonly length: number }): boolean {
  return length > shortBytesMax;
}

/** Fields with which a client enables reasoning, in any format. */
const thinkingMembers: readonly string[] = ['thinking', 'reasoning', 'reasoning_effort'];
/**
 * JSON keys of message parts with signed or encrypted reasoning. Inside text, the quotes would be escaped, so
 * text cannot match.
 */
const signedKeys = ['"signature"', '"redacted_thinking"', '"redactedContent"', '"encrypted_content"'].map(
  (key) => Buffer.from(key),
);

/** Returns whether the transcript contains signed or encrypted reasoning. */
export function carriesSignedReasoning(tape: JsonTape): boolean {
  return signedKeys.some((key) => tape.bytes.includes(key));
}

/** Returns whether the client enables reasoning for this request. */
export function turnsReasoningOn(tape: JsonTape, members: readonly string[] = thinkingMembers): boolean {
  const additional = tape.get(tape.root, 'additionalModelRequestFields');
  const places = additional === undefined ? [tape.root] : [tape.root, additional];
  return places.some((object) => members.some((name) => isTurnedOn(tape, tape.get(object, name))));
}

function isTurnedOn(tape: JsonTape, node: JsonNode | undefined): boolean {
  if (node === undefined || tape.kind(node) === 'null') return false;
  const type = tape.get(node, 'type');
  return type === undefined || !tape.isString(type, 'disabled');
}

/** Returns the names of the tools in `tool_choice`. They are always forwarded. */
export function namesInToolChoice(choice: RequestOutline['toolChoice']): readonly string[] {
  if (choice.mode === 'tool') return [choice.name];
  return choice.mode === 'allowed' ? choice.names : [];
}

/** The body field for each part of a credential. */
const names: Readonly<Record<keyof HostedFields, CloudField>> = {
  api_key: 'cloud_bearer_token_hosted',
  access_key_id: 'cloud_access_key_id',
  secret_access_key: 'cloud_secret_access_key',
  session_token: 'cloud_session_token',
  region: 'cloud_region_name',
};

/**
 * Reads the hosted service's credential from the body (`cloud_*`), in the form that the vault stores. The
 * result is a secret. Null if the body has none.
 * @throws GatewayError `missing_field`, `invalid_field`
 */
export function readOwnCredential(tape: JsonTape): string | null {
  const fields = readCloudFields(tape);
  if (Object.keys(fields).length === 0) return null;
  const credential = createHostedCredential(
    {
      api_key: fields.cloud_bearer_token_hosted,
      access_key_id: fields.cloud_access_key_id,
      secret_access_key: fields.cloud_secret_access_key,
      session_token: fields.cloud_session_token,
      region: fields.cloud_region_name,
    },
    (field) => names[field],
  );
  return renderHostedCredential(credential);
}

/**
 * Returns whether the model's signed reasoning binds the conversation to its tools. If so, the tools are sent
 * unchanged from the first turn on. The decision depends only on the request. Once reasoning is on, it stays
 * on, or its signatures stay in the transcript. For a model that is not in the catalogue, the `thinking`
 * field of the messages format is enough.
 */
export function isBoundToTools(tape: JsonTape, model: CatalogModel | undefined): boolean {
  if (model !== undefined && !rejectsEdits(model)) return false;
  const members = model === undefined ? ['thinking'] : undefined;
  return turnsReasoningOn(tape, members) || carriesSignedReasoning(tape);
}

/**
 * Returns whether a conversation's context may be changed. The answer is no if the client enables reasoning
 * and the model binds its signed reasoning to every earlier message. A conversation with signed or encrypted
 * reasoning counts as bound, unless the catalogue says that the model does not bind it.
 */
export function mayCompressContext(tape: JsonTape, model: CatalogModel | undefined): boolean {
  const isBound = model !== undefined && rejectsEdits(model);
  if (isBound && turnsReasoningOn(tape)) return false;
  const isKnownFree = model !== undefined && !isBound;
  return isKnownFree || !carriesSignedReasoning(tape);
}

function rejectsEdits(model: CatalogModel): boolean {
  return bindsReasoning(model, model.modelId).effect === 'rejects';
}
