import type { CloudField, JsonNode, JsonTape } from '@gateway/wire-formats';
import { readCloudFields } from '@gateway/wire-formats';
import type { RequestOutline } from '@gateway/interchange';
import type { HostedFields } from '@gateway/providers';
import { createHostedCredential, renderHostedCredential } from '@gateway/providers';
import type { CatalogModel } from '@gateway/model-catalog';

/** Members in which a client turns thinking on, in one format or another. */
const thinkingMembers: readonly string[] = ['thinking', 'reasoning', 'reasoning_effort'];
/** Keys of parts that carry signed or encrypted reasoning. Inside a text their quotes would be escaped. */
const signedKeys = ['"signature"', '"redacted_thinking"', '"redactedContent"', '"encrypted_content"'].map(
  (key) => Buffer.from(key),
);

/** Whether the transcript carries reasoning that its model signed or encrypted. */
export function carriesSignedReasoning(tape: JsonTape): boolean {
  return signedKeys.some((key) => tape.bytes.includes(key));
}

/** Whether the client turns thinking on for this request. */
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

/** The tools that `tool_choice` names: they are always forwarded. */
export function namesInToolChoice(choice: RequestOutline['toolChoice']): readonly string[] {
  if (choice.mode === 'tool') return [choice.name];
  return choice.mode === 'allowed' ? choice.names : [];
}

/** How a body writes what a credential is made of. */
const names: Readonly<Record<keyof HostedFields, CloudField>> = {
  api_key: 'cloud_bearer_token_hosted',
  access_key_id: 'cloud_access_key_id',
  secret_access_key: 'cloud_secret_access_key',
  session_token: 'cloud_session_token',
  region: 'cloud_region_name',
};

/**
 * The credential of the hosted service that a caller put into the body (`cloud_*`), as the vault would keep it. A secret.
 * Null without one.
 *
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
 * Whether the model's signed thinking binds the session to its tools: it goes out as it came, from the first turn on.
 * Decided by each request alone: once thinking is on, it stays on, or its signatures stay in the transcript. Of a model that
 * the catalogue does not know, the messages' own `thinking` is enough.
 */
export function isBoundToTools(tape: JsonTape, model: CatalogModel | undefined): boolean {
  if (model?.thinkingBinding === false) return false;
  const members = model === undefined ? ['thinking'] : undefined;
  return turnsReasoningOn(tape, members) || carriesSignedReasoning(tape);
}

/**
 * Whether a session's context may be changed at all. Where the model binds its signed thinking to every earlier message, not
 * once the client turns thinking on. A conversation that carries signed or encrypted reasoning may be bound, unless the
 * catalogue knows that this model's is not.
 */
export function mayCompressContext(tape: JsonTape, model: CatalogModel | undefined): boolean {
  if (model?.thinkingBinding === true && turnsReasoningOn(tape)) return false;
  const isKnownFree = model !== undefined && !model.thinkingBinding;
  return isKnownFree || !carriesSignedReasoning(tape);
}
