import type { JsonObject, ToolCallPart } from '@gateway/interchange';
import { asObject, asText, isObject, optional, otherMembers } from '../json/read-members.ts';
import { readOwn, withOwn } from './own-extensions.ts';

/** A tool call as the format writes it, in a message or in pieces. */
export interface RawToolCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly kind: 'function' | 'custom';
  readonly argumentsText: string;
  readonly signature: string | undefined;
  /** What the format alone knows of it. */
  readonly own: JsonObject;
}

/** Reads a call, or a piece of one. Arguments that a provider sends as an object become their text. */
export function readToolCall(raw: JsonObject): RawToolCall {
  const kind =
    raw.type === 'custom' || (!isObject(raw.function) && isObject(raw.custom)) ? 'custom' : 'function';
  const body = asObject(raw[kind]) ?? {};
  const given = kind === 'custom' ? body.input : body.arguments;
  const rest = otherMembers(raw, ['id', 'type', kind]);
  const bodyRest = otherMembers(body, ['name', kind === 'custom' ? 'input' : 'arguments']);
  return {
    id: asText(raw.id),
    name: asText(body.name),
    kind,
    argumentsText: isObject(given) ? JSON.stringify(given) : (asText(given) ?? ''),
    signature: asText(asObject(asObject(raw.extra_content)?.google)?.thought_signature),
    own: { ...rest, ...optional(kind, bodyRest) },
  };
}

/** A call of a finished message. */
export function parseToolCall(raw: JsonObject): ToolCallPart {
  const { id, name, kind, argumentsText, signature, own } = readToolCall(raw);
  return {
    type: 'tool-call',
    id: id ?? '',
    name: name ?? '',
    kind,
    argumentsText,
    ...optional('signature', signature),
    ...withOwn(own),
  };
}

/** Where Google's own endpoint of this format puts it, and takes it back. */
function renderSignature(signature: string | undefined): JsonObject {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

export function renderToolCall(call: Omit<ToolCallPart, 'type'>): JsonObject {
  const own = readOwn(call);
  const body = { ...asObject(own[call.kind]), name: call.name };
  const argumentsMember = call.kind === 'custom' ? 'input' : 'arguments';
  return {
    ...renderSignature(call.signature),
    ...own,
    id: call.id,
    type: call.kind,
    [call.kind]: { ...body, [argumentsMember]: call.argumentsText },
  };
}
