import type { Extensions, JsonObject, StreamEvent } from '@gateway/interchange';

type Extension = Extract<StreamEvent, { type: 'extension' }>;

/**
 * Fields in which chat-completions providers send reasoning, in addition to the texts that the interchange reads:
 * `reasoning_details` (OpenRouter), `reasoning_opaque` (Copilot), `thinking_blocks` (LiteLLM). A provider that
 * sends such a field wants it back unmodified.
 */
const reasoningField = /^(?:reasoning|thinking)/;

/** Whether an event shows reasoning to the client. */
export function showsReasoning(event: StreamEvent): boolean {
  if (event.type === 'extension') return Object.keys(reasoningIn(event)).length > 0;
  return event.type === 'thinking-start';
}

/** Returns the event without the fields that hold reasoning; undefined if nothing is left. */
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
 * Joins the reasoning fields of a response, as its provider wants them back. In a stream, the pieces of one
 * block have the same index and type.
 */
export function joinReasoning(events: readonly StreamEvent[]): Extensions | undefined {
  const joined: Record<string, unknown> = {};
  for (const event of events) {
    if (event.type !== 'extension' || event.choice !== 0) continue;
    for (const [name, value] of Object.entries(reasoningIn(event)))
      joined[name] = joinValues(joined[name], value);
  }
  return Object.keys(joined).length === 0 ? undefined : { 'chat-completions': joined };
}

function joinValues(earlier: unknown, later: unknown): unknown {
  if (earlier === undefined) return later;
  if (typeof earlier === 'string' && typeof later === 'string') return earlier + later;
  if (!Array.isArray(earlier) || !Array.isArray(later)) return later;
  const blocks: unknown[] = [...(earlier as unknown[])];
  for (const piece of later as unknown[]) {
    const at = blocks.findIndex((block) => isSameBlock(block, piece));
    if (at < 0) blocks.push(piece);
    else blocks[at] = joinPieces(blocks[at] as JsonObject, piece as JsonObject);
  }
  return blocks;
}

function isSameBlock(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [{ index, type }, next] = [one as JsonObject, other as JsonObject];
  return typeof index === 'number' && index === next['index'] && type === next['type'];
}

/** Fields of a block that arrive piece by piece. Any other field replaces the earlier one. */
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
