import { qualifyTool, type JsonObject, type StreamEvent } from '@gateway/interchange';
import { asList, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseAnnotation } from '../shared/content.ts';
import { readReasoningTexts, reasoningDelta, signReasoning } from '../shared/reasoning.ts';
import { own } from '../shared/settings.ts';
import {
  forgetItem,
  listPlaces,
  placeOf,
  setBlock,
  startBlock,
  type ItemBlock,
  type StreamState,
} from './stream-state.ts';

/** Item fields that become stream events. */
const readOfItem = ['type', 'role', 'status', 'content', 'summary', 'encrypted_content'] as const;
const readOfCall = ['type', 'status', 'call_id', 'name', 'namespace', 'arguments', 'input'] as const;

/** The item fields that are kept for later turns in the responses format. */
export function keepMembers(item: JsonObject): JsonObject {
  return otherMembers(item, isCall(item) ? readOfCall : readOfItem);
}

export function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** Starts a tool call as soon as the tool name is known. */
export function startCall(
  state: StreamState,
  index: number,
  item: JsonObject,
  events: StreamEvent[],
): StreamState {
  const block = state.nextBlock;
  const namespace = asText(item.namespace) || undefined;
  events.push({
    type: 'tool-call-start',
    choice: 0,
    block,
    id: asText(item.call_id) ?? asText(item.id) ?? '',
    name: qualifyTool(namespace, asText(item.name) ?? ''),
    ...optional('namespace', namespace),
    kind: item.type === 'custom_tool_call' ? 'custom' : 'function',
    ...own.with(optional('item', keepMembers(item))),
  });
  const opened = { kind: 'tool-call', block, hasContent: false, isEnded: false, citations: 0 } as const;
  return setBlock({ ...state, nextBlock: block + 1, hasCalls: true }, placeOf(index), opened);
}

/**
 * Reads a complete item, from the end of a streamed item or from a non-streaming response. Content that was
 * missing from the deltas is read from the complete item. An item without an equivalent in the interchange
 * becomes an opaque part.
 */
export function endItem(
  state: StreamState,
  index: number,
  item: JsonObject,
  events: StreamEvent[],
): StreamState {
  return forgetItem(readItem(state, index, item, events), index);
}

function readItem(state: StreamState, index: number, item: JsonObject, events: StreamEvent[]): StreamState {
  if (isCall(item)) return endCall(state, index, item, events);
  if (item.type === 'reasoning') return endReasoning(state, index, item, events);
  if (item.type === 'message') return endMessage(state, index, item, events);
  return addOpaque(state, item, events);
}

function addOpaque(state: StreamState, item: JsonObject, events: StreamEvent[]): StreamState {
  const part = { type: 'opaque', extensions: own.of({ rawItem: item }) } as const;
  events.push({ type: 'part', choice: 0, block: state.nextBlock, part });
  return { ...state, nextBlock: state.nextBlock + 1 };
}

/**
 * Ends the blocks of a message item. Some providers number the parts in a stream differently, so parts are
 * matched to blocks by order.
 */
function endMessage(state: StreamState, index: number, item: JsonObject, events: StreamEvent[]): StreamState {
  const places = listPlaces(state, index);
  const parts = asList(item.content).filter(
    (part) => isObject(part) && readText(part) !== '',
  ) as JsonObject[];
  let current = state;
  for (const [at, part] of parts.entries())
    current = endContent(current, places[at] ?? `${index}.part${at}`, part, item, events);
  return current;
}

function readText(part: JsonObject): string {
  return asText(part.type === 'refusal' ? part.refusal : part.text) ?? '';
}

function endCall(state: StreamState, index: number, item: JsonObject, events: StreamEvent[]): StreamState {
  const place = placeOf(index);
  const current = state.blocks.has(place) ? state : startCall(state, index, item, events);
  const open = current.blocks.get(place);
  if (open === undefined) return current;
  const at = { choice: 0, block: open.block };
  const isCustom = item.type === 'custom_tool_call';
  const rest = asText(isCustom ? item.input : item.arguments) ?? '';
  // Clients parse function arguments as JSON, so an empty object is emitted for a call without arguments.
  const argumentsText = rest === '' && !isCustom ? '{}' : rest;
  if (!open.hasContent && argumentsText !== '')
    events.push({ type: 'tool-call-delta', ...at, argumentsText });
  events.push({ type: 'tool-call-end', ...at });
  return current;
}

/**
 * Ends a reasoning item. The complete item is kept for clients of the responses format, because the provider
 * requires the unmodified item in the next request. A stored reasoning item may consist of only an id. Other
 * formats have no equivalent of a reasoning item without content, so the item becomes an opaque part.
 */
function endReasoning(
  state: StreamState,
  index: number,
  item: JsonObject,
  events: StreamEvent[],
): StreamState {
  const place = placeOf(index);
  const encrypted = asText(item.encrypted_content);
  const texts = readReasoningTexts(item).filter(({ text }) => text !== '');
  const known = state.blocks.get(place);
  if (known === undefined && texts.length === 0 && encrypted === undefined)
    return addOpaque(state, item, events);
  const [current, open] =
    known === undefined
      ? startBlock(state, place, 'thinking', keepMembers(item), events)
      : ([state, known] as const);
  const at = { choice: 0, block: open.block };
  if (!open.hasContent)
    for (const [index, { text, ...place }] of texts.entries())
      events.push({ type: 'thinking-delta', ...at, ...reasoningDelta(text, place, index === 0) });
  const signature = encrypted === undefined ? undefined : signReasoning(encrypted);
  events.push({
    type: 'thinking-end',
    ...at,
    ...optional('signature', signature),
    ...own.with({ rawItem: item }),
  });
  return current;
}

/** Ends a content part of a message. No block is created for empty text. */
export function endContent(
  state: StreamState,
  place: string,
  part: JsonObject,
  item: JsonObject,
  events: StreamEvent[],
): StreamState {
  const known = state.blocks.get(place);
  if (known?.isEnded === true) return state;
  const kind = part.type === 'refusal' ? 'refusal' : 'text';
  const text = readText(part);
  if (known === undefined && text === '') return state;
  const [current, open] =
    known === undefined
      ? startBlock(state, place, kind, keepMembers(item), events)
      : ([state, known] as const);
  if (open.kind !== 'text' && open.kind !== 'refusal') return current;
  const at = { choice: 0, block: open.block };
  if (!open.hasContent && text !== '') events.push({ type: `${open.kind}-delta`, ...at, text });
  for (const annotation of asList(part.annotations).slice(open.citations)) cite(open, annotation, events);
  events.push({ type: `${open.kind}-end`, ...at });
  return setBlock(current, place, { ...open, isEnded: true });
}

export function cite(open: ItemBlock, annotation: unknown, events: StreamEvent[]): void {
  if (open.kind !== 'text' || !isObject(annotation)) return;
  events.push({ type: 'citation', choice: 0, block: open.block, citation: parseAnnotation(annotation) });
}

/** Ends the blocks of items that the provider left incomplete. */
export function endOpenBlocks(state: StreamState, events: StreamEvent[]): StreamState {
  for (const { kind, block, isEnded } of state.blocks.values())
    if (!isEnded) events.push({ type: `${kind}-end`, choice: 0, block });
  return { ...state, items: new Map(), blocks: new Map() };
}
