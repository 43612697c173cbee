import type { Extensions, JsonObject, StreamEvent } from '@gateway/interchange';
import { isReasoningPart } from '../../tool-lists/responses-items.ts';

type Extension = Extract<StreamEvent, { type: 'extension' }>;

/**
 * Reasoning fields in chat-completions responses. The interchange does not parse these fields as text. The fields
 * are `reasoning_details` (OpenRouter), `reasoning_opaque` (Copilot) and `thinking_blocks` (LiteLLM). A provider
 * that sends a reasoning field requires the same field, unmodified, in the next request.
 */
const reasoningField = /^(?:reasoning|thinking)/;

/** Returns whether an event shows reasoning to the client. */
export function showsReasoning(event: StreamEvent): boolean {
  if (event.type === 'extension') return Object.keys(reasoningIn(event)).length > 0;
  return event.type === 'thinking-start' || (event.type === 'part' && isReasoningPart(event.part));
}

/**
 * Returns the event without its reasoning fields. Returns undefined if the event has no other
 * fields.
 */
export function withoutReasoning(event: Extension): Extension | undefined {
  const hidden = reasoningIn(event);
  if (Object.keys(hidden).length === 0) return event;
  const own = event.extensions['chat-completions'] ?? {};
  const rest = Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(hidden, name)));
  if (Object.keys(rest).length === 0) return undefined;
  return { ...event, extensions: { ...event.extensions, 'chat-completions': rest } };
}

function reasoningIn({ scope, extensions }: Extension): JsonObject {
  const own = extensions['chat-completions'];
  if (scope !== 'message' || own === undefined) return {};
  return Object.fromEntries(
    Object.entries(own).filter(([name, value]) => reasoningField.test(name) && value !== null),
  );
}

/**
 * Joins the reasoning fields of a response into the form that its provider accepts. In a stream, the pieces of
 * one reasoning block have the same index and type. The running time is linear in the number of pieces.
 */
export function joinReasoning(events: readonly StreamEvent[]): Extensions | undefined {
  const values = new Map<string, unknown[]>();
  for (const event of events) {
    if (event.type !== 'extension' || event.choice !== 0) continue;
    for (const [name, value] of Object.entries(reasoningIn(event))) {
      const earlier = values.get(name);
      if (earlier === undefined) values.set(name, [value]);
      else earlier.push(value);
    }
  }
  if (values.size === 0) return undefined;
  const joined = [...values].map(([name, all]): [string, unknown] => [name, joinValues(all)]);
  return { 'chat-completions': Object.fromEntries(joined) };
}

/**
 * Joins two texts or two lists of blocks. If the two values have different types, the later one is
 * returned.
 */
function joinValues(values: readonly unknown[]): unknown {
  if (values.every((value) => typeof value === 'string')) return values.join('');
  const [first, ...later] = values;
  if (!isList(first) || !later.every(isList)) return values.at(-1);
  return joinBlocks(first, later.flat());
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function joinBlocks(first: readonly unknown[], pieces: readonly unknown[]): unknown[] {
  const blocks = [...first];
  const places = new Map<string, number>();
  for (const [at, block] of blocks.entries()) {
    const key = keyOf(block);
    if (key !== undefined && !places.has(key)) places.set(key, at);
  }
  for (const piece of pieces) {
    const key = keyOf(piece);
    const at = key === undefined ? undefined : places.get(key);
    if (at !== undefined) blocks[at] = joinPieces(blocks[at] as JsonObject, piece as JsonObject);
    else {
      if (key !== undefined) places.set(key, blocks.length);
      blocks.push(piece);
    }
  }
  return blocks;
}

/**
 * Returns the same key for all pieces of one reasoning block. Returns undefined for a piece without an index,
 * because only a complete block has no index.
 */
function keyOf(piece: unknown): string | undefined {
  if (typeof piece !== 'object' || piece === null) return undefined;
  const { index, type } = piece as JsonObject;
  return typeof index === 'number' ? JSON.stringify([index, type]) : undefined;
}

/**
 * Fields of a reasoning block that arrive in several pieces. In other fields of a reasoning block, a later value
 * replaces the earlier value.
 */
const growingFields: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

function joinPieces(block: JsonObject, piece: JsonObject): JsonObject {
  const joined: Record<string, unknown> = { ...block };
  for (const [name, value] of Object.entries(piece)) {
    const known = joined[name];
    if (value === null || name === '__proto__') continue;
    joined[name] =
      growingFields.has(name) && typeof known === 'string' && typeof value === 'string'
        ? known + value
        : value;
  }
  return joined;
}
