import type { Extensions, JsonObject, StreamEvent } from '@gateway/interchange';
import { asNumber, asObject, asText, optional } from '../../json/read-members.ts';
import { reasoningDelta, type ReasoningPlace } from '../shared/reasoning.ts';
import { cite, endContent, endItem, isCall, keepMembers, startCall } from './read-item.ts';
import { endResponse, readError, readStart } from './read-response.ts';
import {
  placeOf,
  setBlock,
  setItem,
  startBlock,
  type ItemBlock,
  type ReadStep,
  type StreamState,
} from './stream-state.ts';

/** Reads a stream event. Progress events and events of unknown types are skipped. */
export const readEvent: ReadStep = (state, raw, events) => {
  const step = steps.get(asText(raw.type) ?? '');
  return step === undefined ? state : step(state, raw, events);
};

const readResponse: ReadStep = (state, raw, events) => readStart(state, asObject(raw.response) ?? {}, events);

const readEnd: ReadStep = (state, raw, events) => {
  const response = asObject(raw.response) ?? {};
  return endResponse(readStart(state, response, events), response, events);
};

const readFailure: ReadStep = (state, raw, events) => readError(state, asObject(raw.error) ?? raw, events);

const readItemStart: ReadStep = (state, raw, events) => {
  const [index, item] = [indexOf(raw), asObject(raw.item) ?? {}];
  if (isCall(item)) return startCall(state, index, item, events);
  return setItem(state, index, keepMembers(item));
};

const readItemEnd: ReadStep = (state, raw, events) =>
  endItem(state, indexOf(raw), asObject(raw.item) ?? {}, events);

const readTextDelta =
  (kind: 'text' | 'refusal'): ReadStep =>
  (state, raw, events) =>
    addText(state, contentPlace(raw), kind, raw, events);

/**
 * Ends a content part of a message. A content part of a reasoning item is skipped, because the reasoning
 * block ends with the item.
 */
const readContentEnd: ReadStep = (state, raw, events) => {
  const part = asObject(raw.part) ?? {};
  if (part.type !== 'output_text' && part.type !== 'refusal') return state;
  return endContent(state, contentPlace(raw), part, itemOf(state, raw), events);
};

const readAnnotation: ReadStep = (state, raw, events) => {
  const place = contentPlace(raw);
  const open = state.blocks.get(place);
  if (open === undefined || open.isEnded) return state;
  cite(open, raw.annotation, events);
  return setBlock(state, place, { ...open, citations: open.citations + 1 });
};

/** Reads a delta of a reasoning item. The parts of a reasoning item form one text. */
const readReasoningDelta =
  (member: ReasoningPlace['member']): ReadStep =>
  (state, raw, events) => {
    const index = asNumber(raw[member]) ?? 0;
    const part = `${member}${index}`;
    const place = placeOf(indexOf(raw));
    const known = state.blocks.get(place)?.part;
    const delta = asText(raw.delta) ?? '';
    if (delta === '') return state;
    const given = reasoningDelta(delta, known === part ? undefined : { member, index }, known === undefined);
    return addText(state, place, 'thinking', raw, events, { part, ...given });
  };

const readArguments: ReadStep = (state, raw, events) => {
  const place = placeOf(indexOf(raw));
  const [open, argumentsText] = [state.blocks.get(place), asText(raw.delta) ?? ''];
  if (open?.kind !== 'tool-call' || argumentsText === '') return state;
  events.push({ type: 'tool-call-delta', choice: 0, block: open.block, argumentsText });
  return open.hasContent ? state : setBlock(state, place, { ...open, hasContent: true });
};

const steps: ReadonlyMap<string, ReadStep> = new Map(
  Object.entries({
    'response.created': readResponse,
    'response.queued': readResponse,
    'response.in_progress': readResponse,
    'response.output_item.added': readItemStart,
    'response.output_item.done': readItemEnd,
    'response.output_text.delta': readTextDelta('text'),
    'response.output_text.annotation.added': readAnnotation,
    'response.refusal.delta': readTextDelta('refusal'),
    'response.content_part.done': readContentEnd,
    'response.reasoning_summary_text.delta': readReasoningDelta('summary_index'),
    'response.reasoning_text.delta': readReasoningDelta('content_index'),
    'response.function_call_arguments.delta': readArguments,
    'response.custom_tool_call_input.delta': readArguments,
    'response.completed': readEnd,
    'response.incomplete': readEnd,
    'response.failed': readEnd,
    error: readFailure,
  }),
);

/** The reasoning part of a delta event. `text` replaces the event's field `delta`, if the two differ. */
interface GivenText {
  readonly part?: string;
  readonly text?: string;
  readonly extensions?: Extensions;
}

function addText(
  state: StreamState,
  place: string,
  kind: 'text' | 'refusal' | 'thinking',
  raw: JsonObject,
  events: StreamEvent[],
  { part, text = asText(raw.delta) ?? '', extensions }: GivenText = {},
): StreamState {
  const known = state.blocks.get(place);
  if (text === '' || (known !== undefined && (known.kind !== kind || known.isEnded))) return state;
  const [current, open] =
    known === undefined
      ? startBlock(state, place, kind, itemOf(state, raw), events)
      : ([state, known] as const);
  events.push({
    type: `${kind}-delta`,
    choice: 0,
    block: open.block,
    text,
    ...optional('extensions', extensions),
  });
  if (open.hasContent && open.part === part) return current;
  const next: ItemBlock = { ...open, hasContent: true, ...(part === undefined ? {} : { part }) };
  return setBlock(current, place, next);
}

function indexOf(raw: JsonObject): number {
  return asNumber(raw.output_index) ?? 0;
}

function contentPlace(raw: JsonObject): string {
  return placeOf(indexOf(raw), asNumber(raw.content_index) ?? 0);
}

function itemOf(state: StreamState, raw: JsonObject): JsonObject {
  return state.items.get(indexOf(raw)) ?? {};
}
