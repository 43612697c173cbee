import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isEmpty,
  isObject,
  optional,
  otherMembers,
  type Draft,
} from '../../json/read-members.ts';
import { ownExtensions } from '../shared/own-members.ts';
import { parseUsage } from '../shared/token-usage.ts';
import { parseErrorValue } from './parse-error.ts';
import { readChoice } from './read-choice.ts';
import { initialChoiceState, type ChoiceState, type StreamState } from './stream-state.ts';

/**
 * Maximum number of choices per response, which is twice OpenAI's limit of 128. Extra choices are skipped.
 */
const choicesMax = 256;

/**
 * Maximum number of stored response fields. Fields are stored to emit each field only once. All stored fields
 * are copied for each new or changed field. The maximum limits time and memory if a provider sends arbitrary
 * field names. Real providers send about ten response fields.
 */
const sentMembersMax = 32;

const readMembers = ['id', 'model', 'created', 'object', 'choices', 'usage', 'error'] as const;

/**
 * Reads a stream chunk and appends its events to `events`. If `whole` is true, the chunk is a complete
 * non-streaming response.
 */
export function readChunk(
  state: StreamState,
  chunk: JsonObject,
  whole: boolean,
  events: StreamEvent[],
): StreamState {
  const started = readStart(state, chunk, events);
  const extended = readAnswerExtensions(started, chunk, events);
  const after = readChoices(extended, chunk, whole, events);
  readUsage(chunk, events);
  return readError(after, chunk, events);
}

/**
 * Starts the message at the first chunk with content. Azure first sends a chunk with no id and no choices.
 */
function readStart(state: StreamState, chunk: JsonObject, events: StreamEvent[]): StreamState {
  if (state.started) return state;
  const id = asText(chunk.id) ?? '';
  if (id === '' && asList(chunk.choices).length === 0) return state;
  const start: Draft<Extract<StreamEvent, { type: 'message-start' }>> = {
    type: 'message-start',
    format: 'chat-completions',
  };
  if (id !== '') start.id = id;
  if (typeof chunk.model === 'string') start.model = chunk.model;
  if (typeof chunk.created === 'number') start.createdAt = chunk.created;
  events.push(start);
  return { ...state, started: true };
}

function readChoices(
  state: StreamState,
  chunk: JsonObject,
  whole: boolean,
  events: StreamEvent[],
): StreamState {
  let current = state;
  let position = 0;
  for (const choice of asList(chunk.choices)) {
    if (!isObject(choice)) continue;
    const index = asNumber(choice.index) ?? position;
    position += 1;
    if (!current.choices.has(index) && current.choices.size >= choicesMax) continue;
    const before = current.choices.get(index) ?? initialChoiceState(index);
    const message = asObject(whole ? choice.message : choice.delta) ?? {};
    const after = readChoice(before, { choice, message, whole }, events);
    current = keepChoice(current, before, after);
  }
  return current;
}

function keepChoice(state: StreamState, before: ChoiceState, after: ChoiceState): StreamState {
  if (before === after && state.choices.has(after.index)) return state;
  return { ...state, choices: new Map(state.choices).set(after.index, after) };
}

/** Appends the response fields that are new or have changed since the previous chunk. */
function readAnswerExtensions(state: StreamState, chunk: JsonObject, events: StreamEvent[]): StreamState {
  const rest = otherMembers(chunk, readMembers);
  if (isEmpty(rest)) return state;
  const known = Object.keys(rest).filter(
    (name) =>
      rest[name] === state.sentMembers[name] || isDeepStrictEqual(rest[name], state.sentMembers[name]),
  );
  const fresh = known.length === 0 ? rest : otherMembers(rest, known);
  if (isEmpty(fresh)) return state;
  events.push({ type: 'extension', scope: 'answer', choice: 0, extensions: ownExtensions(fresh) });
  const names = Object.keys(fresh);
  const added =
    names.length > sentMembersMax || names.some((name) => !Object.hasOwn(state.sentMembers, name));
  if (added && Object.keys(state.sentMembers).length + names.length > sentMembersMax) return state;
  return { ...state, sentMembers: { ...state.sentMembers, ...fresh } };
}

/** Moonshot sends usage in the last delta of a choice if the client does not request usage. */
function readUsage(chunk: JsonObject, events: StreamEvent[]): void {
  const raw = asObject(chunk.usage) ?? asObject(asObject(asList(chunk.choices)[0])?.usage);
  const usage = raw === undefined ? undefined : parseUsage(raw);
  if (raw === undefined || usage === undefined) return;
  events.push({ type: 'usage', usage, extensions: ownExtensions(raw) });
}

function readError(state: StreamState, chunk: JsonObject, events: StreamEvent[]): StreamState {
  if (chunk.error === undefined || chunk.error === null) return state;
  const { message, type, code } = parseErrorValue(chunk.error);
  const members = ownExtensions(asObject(chunk.error) ?? {});
  const typed = type === '' ? {} : { errorType: type };
  events.push({ type: 'error', message, ...typed, ...optional('code', code), extensions: members });
  return { ...state, failed: true };
}
