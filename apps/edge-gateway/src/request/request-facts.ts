import { GatewayError } from '@gateway/errors';
import type { CloudField, JsonNode, JsonTape } from '@gateway/wire-formats';
import {
  applyEdits,
  findContinued,
  formatNamed,
  readCloudFields,
  removeSealedReasoning,
  sealPrefix,
} from '@gateway/wire-formats';
import type { RequestOutline } from '@gateway/interchange';
import type { HostedFields } from '@gateway/providers';
import { createHostedCredential, renderHostedCredential } from '@gateway/providers';
import { bindsReasoning, thinksByDefault, type CatalogModel } from '@gateway/model-catalog';
import type { Lane, ParsedRequest, Target } from './request.ts';

/**
 * Maximum size in bytes of a request body for which each processing step takes less than ten milliseconds. The time
 * limit holds regardless of the content of the body.
 */
const shortBytesMax = 128 * 1024;

/**
 * Returns whether other requests must run between the processing steps of this request. One
 * processing step of a large request can take tens of milliseconds.
 */
export function isLarge({ length }: { readonly length: number }): boolean {
  return length > shortBytesMax;
}

/** Fields with which a client enables reasoning, in any format. */
const thinkingMembers: readonly string[] = ['thinking', 'reasoning', 'reasoning_effort'];
/** JSON keys and types of message parts that contain signed or encrypted reasoning. */
const signedKeys: readonly string[] = [
  'signature',
  'redacted_thinking',
  'redactedContent',
  'encrypted_content',
];
const signed = new WeakMap<JsonTape, boolean>();

/** Returns whether the transcript contains signed or encrypted reasoning. */
export function carriesSignedReasoning(tape: JsonTape): boolean {
  const known = signed.get(tape);
  if (known !== undefined) return known;
  const found = tape.hasString(signedKeys);
  signed.set(tape, found);
  return found;
}

/** Returns whether the client enables reasoning for this request. */
export function turnsReasoningOn(tape: JsonTape, members: readonly string[] = thinkingMembers): boolean {
  return placesOfThinking(tape).some((object) =>
    members.some((name) => isTurnedOn(tape, tape.get(object, name))),
  );
}

/**
 * Returns the objects that contain reasoning fields. The function returns the request body and, in the
 * converse format, the object with the model's own fields.
 */
function placesOfThinking(tape: JsonTape): JsonNode[] {
  const additional = tape.get(tape.root, 'additionalModelRequestFields');
  return additional === undefined ? [tape.root] : [tape.root, additional];
}

function isTurnedOn(tape: JsonTape, node: JsonNode | undefined): boolean {
  if (node === undefined || tape.kind(node) === 'null') return false;
  const type = tape.get(node, 'type');
  return type === undefined || !tape.isString(type, 'disabled');
}

/** Returns the names of the tools in `tool_choice`. Tools that `tool_choice` names are always forwarded. */
export function namesInToolChoice(choice: RequestOutline['toolChoice']): readonly string[] {
  if (choice.mode === 'tool') return [choice.name];
  return choice.mode === 'allowed' ? choice.names : [];
}

/**
 * Returns the index of the model's first message, or Infinity if the model has not responded yet. The gateway never
 * compresses messages before the model's first message, because they are instructions and contain no repetition.
 */
export function findFirstTurn({ messages }: Pick<RequestOutline, 'messages'>): number {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  return first < 0 ? Infinity : first;
}

/** The field of the request body that contains each part of a credential. */
const names: Readonly<Record<keyof HostedFields, CloudField>> = {
  api_key: 'cloud_bearer_token_hosted',
  access_key_id: 'cloud_access_key_id',
  secret_access_key: 'cloud_secret_access_key',
  session_token: 'cloud_session_token',
  region: 'cloud_region_name',
};

/**
 * Reads the credential of the hosted service from the `cloud_*` fields of the request body, and returns it in the
 * vault's format. The returned credential is a secret. Null if the body contains no credential.
 * @throws GatewayError `missing_field` if a part of the credential is missing, or `invalid_field` if a part is
 * invalid
 */
export function readOwnCredential(tape: JsonTape): string | null {
  const fields = readCloudFields(tape);
  // A region without a credential is ignored, because the stored credential has its own region.
  if (Object.keys(fields).every((field) => field === names.region)) return null;
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
 * Returns whether the model's reasoning binds the conversation to its system prompt, tools and messages. In a bound
 * conversation, the prefix is sent unchanged in every turn, because even the model's first response may contain a
 * signature. The catalogue determines which models bind reasoning, because these models also reason without a
 * `thinking` field. A conversation without signatures is not bound if the request disables reasoning or if its
 * format has no field for signatures. If the model and its family are not in the catalogue, the `thinking` field of
 * the messages format counts as bound reasoning.
 */
export function isReasoningBound(
  { tape, outline }: Pick<ParsedRequest, 'tape' | 'outline'>,
  { model: modelId, lane }: Pick<Target, 'model' | 'lane'>,
  model: CatalogModel | undefined,
): boolean {
  const { effect } = bindsReasoning(model, modelId);
  if (effect === 'none') return false;
  if (carriesSignedReasoning(tape)) return true;
  if (effect === 'unknown') return turnsReasoningOn(tape, ['thinking']);
  return (
    mayCarryReasoning(outline.format, lane) &&
    !turnsReasoningOff(tape) &&
    (model === undefined || thinksByDefault(model) || turnsReasoningOn(tape))
  );
}

/**
 * Returns the name of the request field that refers to a transcript stored by the provider. The field is `thread` in
 * the messages format, or a field of the Responses API. A request with a stored transcript contains only new
 * messages, so the gateway cannot repeat a plan. Returns undefined if the request refers to no stored transcript.
 */
export function findStoredState({
  tape,
  outline,
}: Pick<ParsedRequest, 'tape' | 'outline'>): string | undefined {
  if (outline.format === 'responses') return findContinued(tape);
  if (outline.format !== 'messages') return undefined;
  const thread = tape.get(tape.root, 'thread');
  return thread !== undefined && tape.kind(thread) !== 'null' ? 'thread' : undefined;
}

/**
 * Returns whether the provider stores the response of a request to the Responses API. By default, responses are
 * stored. A later request may continue the stored response. A continued response may contain unanswered recovery
 * tool calls and compressed content that the model cannot recall.
 */
export function isResponseStored(
  { tape, outline }: Pick<ParsedRequest, 'tape' | 'outline'>,
  { lane }: Pick<Target, 'lane'>,
): boolean {
  if (outline.format !== 'responses' || lane.kind !== 'same-format') return false;
  const store = tape.get(tape.root, 'store');
  return store === undefined || tape.value(store) !== false;
}

/**
 * Returns whether the transcript may contain signed reasoning. A translation to chat-completions drops signed
 * reasoning, so translated transcripts never contain signed reasoning.
 */
function mayCarryReasoning(format: RequestOutline['format'], lane: Lane): boolean {
  return formatNamed(format).client.carriesReasoning || lane.kind === 'same-format';
}

/** Returns whether the client disables reasoning in Anthropic's own field. */
function turnsReasoningOff(tape: JsonTape): boolean {
  return placesOfThinking(tape).some((object) => {
    const node = tape.get(object, 'thinking');
    const type = node === undefined ? undefined : tape.get(node, 'type');
    return type !== undefined && tape.isString(type, 'disabled');
  });
}

/**
 * Checks that every tool result belongs to an earlier tool call, and that every tool call has a result before
 * the conversation continues.
 * @throws GatewayError `unbalanced_tool_calls`
 */
export function requireBalancedToolCalls({ format, messages }: RequestOutline): void {
  const unbalanced = (index: number, what: string): GatewayError => {
    const param = format === 'responses' ? 'input' : `messages[${index}]`;
    return new GatewayError('unbalanced_tool_calls', { param, message: `${param} ${what}.` });
  };
  const called = new Set<string>();
  const open = new Set<string>();
  for (const message of messages) {
    for (const id of message.toolResultIds) {
      if (!called.has(id))
        throw unbalanced(message.index, `answers the tool call "${id}", which no earlier message makes`);
      open.delete(id);
    }
    const [unanswered] = open;
    if (unanswered !== undefined && message.toolResultIds.length === 0) {
      throw unbalanced(message.index, `comes before the result of the tool call "${unanswered}"`);
    }
    for (const call of message.toolCalls) {
      called.add(call.id);
      open.add(call.id);
    }
  }
}

const sealMark = Buffer.from(`"${sealPrefix}`);

/**
 * Removes the reasoning that the gateway encoded for a client of the Responses API. Other providers would reject the
 * gateway's encoding.
 * @param scan a function that scans bytes that may contain reasoning
 */
export function dropSealedReasoning(given: Uint8Array, scan: (bytes: Buffer) => JsonTape): Buffer {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  return bytes.includes(sealMark) ? applyEdits(bytes, removeSealedReasoning(scan(bytes))) : bytes;
}
