import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { optional } from '../../json/read-members.ts';
import { own } from '../shared/settings.ts';

/** The parser's immutable state between the events of a response. */
export interface StreamState {
  readonly started: boolean;
  readonly ended: boolean;
  readonly nextBlock: number;
  readonly hasCalls: boolean;
  /** Whether the parser has read a complete item. */
  readonly hasItems: boolean;
  /** Fields of the open items, such as ids, by output index. */
  readonly items: ReadonlyMap<number, JsonObject>;
  /** Blocks of the open items, by the key from `placeOf`. */
  readonly blocks: ReadonlyMap<string, ItemBlock>;
}

export interface ItemBlock {
  readonly kind: 'text' | 'refusal' | 'thinking' | 'tool-call';
  readonly block: number;
  /** Whether the block received a delta. */
  readonly hasContent: boolean;
  readonly isEnded: boolean;
  /** Number of citations in the block so far. */
  readonly citations: number;
  /** The part of the reasoning item that contains the latest text. */
  readonly part?: string;
}

export const initialStreamState: StreamState = {
  started: false,
  ended: false,
  nextBlock: 0,
  hasCalls: false,
  hasItems: false,
  items: new Map(),
  blocks: new Map(),
};

/**
 * Maximum number of open items, and maximum number of open blocks. OpenAI sends one item at a time, but the
 * item indexes allow more open items.
 */
const openMax = 256;

/** Reads one type of event, appends events to `events`, and returns the next state. */
export type ReadStep = (state: StreamState, raw: JsonObject, events: StreamEvent[]) => StreamState;

/**
 * Returns the key of a block. The key contains the item's output index and, for a message, the index of the
 * content part.
 */
export function placeOf(output: number, content?: number): string {
  return content === undefined ? String(output) : `${output}.${content}`;
}

/** Starts a block. The block's extensions store the item's fields for later turns in the responses format. */
export function startBlock(
  state: StreamState,
  place: string,
  kind: 'text' | 'refusal' | 'thinking',
  item: JsonObject,
  events: StreamEvent[],
): readonly [StreamState, ItemBlock] {
  const isJoined = listPlaces(state, place.split('.', 1)[0] ?? place).length > 0;
  const members = isJoined ? { isJoined } : optional('item', item);
  const opened = { kind, block: state.nextBlock, hasContent: false, isEnded: false, citations: 0 };
  events.push({ type: `${kind}-start`, choice: 0, block: opened.block, ...own.with(members) });
  return [setBlock({ ...state, nextBlock: state.nextBlock + 1 }, place, opened), opened];
}

/** The keys of a message's blocks, in the order in which the blocks started. */
export function listPlaces({ blocks }: StreamState, index: number | string): string[] {
  const prefix = `${index}.`;
  return [...blocks.keys()].filter((place) => place.startsWith(prefix));
}

/** @throws GatewayError `upstream_invalid` if too many blocks are open */
export function setBlock(state: StreamState, place: string, block: ItemBlock): StreamState {
  return { ...state, blocks: setOne(state.blocks, place, block) };
}

/** @throws GatewayError `upstream_invalid` if too many items are open */
export function setItem(state: StreamState, index: number, item: JsonObject): StreamState {
  return { ...state, items: setOne(state.items, index, item) };
}

function setOne<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value): ReadonlyMap<Key, Value> {
  if (map.size >= openMax && !map.has(key))
    throw new GatewayError('upstream_invalid', { detail: 'too many open items' });
  return new Map(map).set(key, value);
}

/** Removes a complete item and the item's blocks from the state. */
export function forgetItem(state: StreamState, index: number): StreamState {
  const items = new Map(state.items);
  items.delete(index);
  const prefix = `${index}.`;
  const kept = [...state.blocks].filter(([place]) => place !== String(index) && !place.startsWith(prefix));
  return { ...state, hasItems: true, items, blocks: new Map(kept) };
}
