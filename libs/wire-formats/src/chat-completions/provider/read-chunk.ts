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
} from '../../json/read-members.ts';
import { ownExtensions } from '../own-extensions.ts';
import { parseUsage } from '../token-usage.ts';
import { parseErrorValue } from './parse-error.ts';
import { readChoice } from './read-choice.ts';
import { initialChoiceState, type ChoiceState, type StreamState } from './stream-state.ts';

export type StreamStep = readonly [StreamState, readonly StreamEvent[]];

/** Choices in one answer: twice the most (128) that OpenAI lets a client ask for. */
const choicesMax = 256;

/** Members remembered so as not to tell them again. Past that a provider makes names up, and they are told each time. */
const toldMax = 256;

const readMembers = ['id', 'model', 'created', 'object', 'choices', 'usage', 'error'] as const;

/** Reads a chunk of a stream, or, with `whole`, a plain answer, which is one chunk that holds all. */
export function readChunk(state: StreamState, chunk: JsonObject, whole: boolean): StreamStep {
  const [started, start] = readStart(state, chunk);
  const [withChoices, choiceEvents] = readChoices(started, chunk, whole);
  const [told, extensions] = readAnswerExtensions(withChoices, chunk);
  return [told, [...start, ...extensions, ...choiceEvents, ...readUsage(chunk), ...readError(chunk)]];
}

/** The first chunk that has something to say: Azure sends one before it that has neither id nor choices. */
function readStart(state: StreamState, chunk: JsonObject): StreamStep {
  const id = asText(chunk.id) ?? '';
  if (state.started || (id === '' && asList(chunk.choices).length === 0)) return [state, []];
  const start: StreamEvent = {
    type: 'message-start',
    format: 'chat-completions',
    ...optional('id', id === '' ? undefined : id),
    ...optional('model', asText(chunk.model)),
    ...optional('createdAt', asNumber(chunk.created)),
  };
  return [{ ...state, started: true }, [start]];
}

function readChoices(state: StreamState, chunk: JsonObject, whole: boolean): StreamStep {
  const events: StreamEvent[] = [];
  let current = state;
  asList(chunk.choices)
    .filter(isObject)
    .forEach((choice, position) => {
      const index = asNumber(choice.index) ?? position;
      const before = current.choices.get(index) ?? initialChoiceState(index);
      const message = asObject(whole ? choice.message : choice.delta) ?? {};
      const [after, told] = readChoice(before, { choice, message, whole });
      for (const event of told) events.push(event);
      current = keepChoice(current, before, after);
    });
  return [current, events];
}

function keepChoice(state: StreamState, before: ChoiceState, after: ChoiceState): StreamState {
  const known = state.choices.has(after.index);
  if ((known && before === after) || (!known && state.choices.size >= choicesMax)) return state;
  return { ...state, choices: new Map(state.choices).set(after.index, after) };
}

/** Tells what is new since the last chunk. */
function readAnswerExtensions(state: StreamState, chunk: JsonObject): StreamStep {
  const rest = otherMembers(chunk, readMembers);
  const known = Object.keys(rest).filter(
    (name) => rest[name] === state.told[name] || isDeepStrictEqual(rest[name], state.told[name]),
  );
  const fresh = known.length === 0 ? rest : otherMembers(rest, known);
  if (isEmpty(fresh)) return [state, []];
  const event: StreamEvent = {
    type: 'extension',
    scope: 'answer',
    choice: 0,
    extensions: ownExtensions(fresh),
  };
  const told = { ...state.told, ...fresh };
  return [Object.keys(told).length > toldMax ? state : { ...state, told }, [event]];
}

function readUsage(chunk: JsonObject): StreamEvent[] {
  const raw = asObject(chunk.usage);
  const usage = raw === undefined ? undefined : parseUsage(raw);
  if (raw === undefined || usage === undefined) return [];
  return [{ type: 'usage', usage, extensions: ownExtensions(raw) }];
}

function readError(chunk: JsonObject): StreamEvent[] {
  if (chunk.error === undefined || chunk.error === null) return [];
  const { message, type, code } = parseErrorValue(chunk.error);
  const members = ownExtensions(asObject(chunk.error) ?? {});
  return [{ type: 'error', message, errorType: type, ...optional('code', code), extensions: members }];
}
