import type { ByteEdit, ProviderFormat } from '@gateway/interchange';
import { applyEdits } from '../json/json-edits.ts';
import type { JsonNode, JsonTape } from '../json/json-tape.ts';
import { scanJson } from '../json/scan-json.ts';

/** A request that tells the provider to drop reasoning that is bound to another prompt prefix. */
interface DroppingRequest {
  readonly body: Uint8Array;
  /**
   * The beta name that the request needs in the header `anthropic-beta`. Undefined if the body
   * already contains the beta name.
   */
  readonly beta: string | undefined;
}

/** Anthropic's beta name for `thinking.block_binding` (Anthropic, "Preserved thinking"). */
const beta = 'thinking-binding-controls-2026-08-01';
const binding = '"block_binding":{"prefix_mismatch_behavior":"drop_block"}';
/** Types of `thinking` that Anthropic's API accepts together with `block_binding`. */
const typesWithBinding = ['adaptive', 'enabled'];

/**
 * Sets `prefix_mismatch_behavior` to `drop_block`. Returns null if the client set this field, or if the
 * request's type of reasoning does not accept the field. Returns null for formats other than messages and
 * converse.
 */
export function dropBoundReasoning(format: ProviderFormat, body: Uint8Array): DroppingRequest | null {
  if (format !== 'messages' && format !== 'converse') return null;
  const tape = scanJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength), { depthMax: 128 });
  const edits = format === 'messages' ? bindThinking(tape, tape.root) : bindConverse(tape);
  if (edits === null) return null;
  const byPlace = [...edits].sort((one, other) => one.start - other.start);
  return { body: applyEdits(body, byPlace), beta: format === 'messages' ? beta : undefined };
}

function bindThinking(tape: JsonTape, object: JsonNode): ByteEdit[] | null {
  const thinking = tape.get(object, 'thinking');
  if (thinking === undefined) return [addMember(tape, object, `"thinking":{"type":"adaptive",${binding}}`)];
  if (tape.get(thinking, 'block_binding') !== undefined) return null;
  const type = tape.stringValue(tape.get(thinking, 'type'));
  return type !== undefined && typesWithBinding.includes(type) ? [addMember(tape, thinking, binding)] : null;
}

/**
 * In the converse format, model-specific fields and beta names are members of `additionalModelRequestFields`.
 */
function bindConverse(tape: JsonTape): ByteEdit[] | null {
  const fields = tape.get(tape.root, 'additionalModelRequestFields');
  const betas = `"anthropic_beta":["${beta}"]`;
  if (fields === undefined) {
    const member = `"additionalModelRequestFields":{"thinking":{"type":"adaptive",${binding}},${betas}}`;
    return [addMember(tape, tape.root, member)];
  }
  const edits = bindThinking(tape, fields);
  const listed = tape.get(fields, 'anthropic_beta');
  if (edits === null || (listed !== undefined && tape.kind(listed) !== 'array')) return null;
  if (listed === undefined) return joinMembers([...edits, addMember(tape, fields, betas)]);
  const end = tape.end(listed) - 1;
  const separator = tape.items(listed).length === 0 ? '' : ',';
  return [...edits, { start: end, end, replacement: `${separator}"${beta}"` }];
}

/** Adds a field at the end of a JSON object. */
function addMember(tape: JsonTape, object: JsonNode, member: string): ByteEdit {
  const end = tape.end(object) - 1;
  return { start: end, end, replacement: tape.entries(object).length === 0 ? member : `,${member}` };
}

/** Joins two edits that add JSON text at the same position. */
function joinMembers(edits: readonly ByteEdit[]): ByteEdit[] {
  const [one, other] = edits;
  if (one === undefined || other === undefined || one.start !== other.start) return [...edits];
  const separator = other.replacement.startsWith(',') ? '' : ',';
  return [{ ...one, replacement: `${one.replacement}${separator}${other.replacement}` }];
}
