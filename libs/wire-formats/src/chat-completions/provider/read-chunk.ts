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

/** Choices in one answer: twice the most (128) that OpenAI lets a client ask for. What others say is passed over. */
const choicesMax = 256;

/** Members remembered so as not to tell them again. Past that a provider makes names up, and they are told each time. */
const toldMax = 256;

const readMembers = ['id', 'model', 'created', 'object', 'choices', 'usage', 'error'] as const;

/**
 * Reads a chunk of a stream, or, with `whole`, a plain answer, which is one chunk that holds all. Puts what it tells behind
 * `told`.
 */
export function readChunk(
  state: StreamState,
  chunk: JsonObject,
  whole: boolean,
  told: StreamEvent[],
): StreamState {
  const started = readStart(state, chunk, told);
  const extended = readAnswerExtensions(started, chunk, told);
  const after = readChoices(extended, chunk, whole, told);
  readUsage(chunk, told);
  readError(chunk, told);
  return after;
}

/** The first chunk that has something to say: Azure sends one before it that has neither id nor choices. */
function readStart(state: StreamState, chunk: JsonObject, told: StreamEvent[]): StreamState {
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
  told.push(start);
  return { ...state, started: true };
}

function readChoices(
  state: StreamState,
  chunk: JsonObject,
  whole: boolean,
  told: StreamEvent[],
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
    const after = readChoice(before, { choice, message, whole }, told);
    current = keepChoice(current, before, after);
  }
  return current;
}

function keepChoice(state: StreamState, before: ChoiceState, after: ChoiceState): StreamState {
  if (before === after && state.choices.has(after.index)) return state;
  return { ...state, choices: new Map(state.choices).set(after.index, after) };
}

/** Tells what is new since the last chunk. */
function readAnswerExtensions(state: StreamState, chunk: JsonObject, told: StreamEvent[]): StreamState {
  const rest = otherMembers(chunk, readMembers);
  if (isEmpty(rest)) return state;
  const known = Object.keys(rest).filter(
    (name) => rest[name] === state.told[name] || isDeepStrictEqual(rest[name], state.told[name]),
  );
  const fresh = known.length === 0 ? rest : otherMembers(rest, known);
  if (isEmpty(fresh)) return state;
  told.push({ type: 'extension', scope: 'answer', choice: 0, extensions: ownExtensions(fresh) });
  const kept = { ...state.told, ...fresh };
  return Object.keys(kept).length > toldMax ? state : { ...state, told: kept };
}

/** Moonshot tells it in the last piece of the choice, unless it is asked for usage. */
function readUsage(chunk: JsonObject, told: StreamEvent[]): void {
  const raw = asObject(chunk.usage) ?? asObject(asObject(asList(chunk.choices)[0])?.usage);
  const usage = raw === undefined ? undefined : parseUsage(raw);
  if (raw === undefined || usage === undefined) return;
  told.push({ type: 'usage', usage, extensions: ownExtensions(raw) });
}

function readError(chunk: JsonObject, told: StreamEvent[]): void {
  if (chunk.error === undefined || chunk.error === null) return;
  const { message, type, code } = parseErrorValue(chunk.error);
  const members = ownExtensions(asObject(chunk.error) ?? {});
  told.push({ type: 'error', message, errorType: type, ...optional('code', code), extensions: members });
}
