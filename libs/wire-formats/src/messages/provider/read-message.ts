import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import {
  asList,
  asObject,
  asText,
  isEmpty,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { own } from '../shared/own-members.ts';
import { mapStopReason } from '../shared/finish-reasons.ts';
import { parseUsage } from '../shared/token-usage.ts';
import { endBlock, endOpenBlocks, startBlock } from './read-block.ts';
import { membersMax, type StreamState, type StreamStep } from './stream-state.ts';

/** Members of a message that a stream tells when it ends, in a `delta`. */
const endMembers = ['stop_reason', 'stop_sequence', 'stop_details', 'container'] as const;

/** Members of a message that are read, or told at its end. */
const startMembers = ['id', 'type', 'role', 'model', 'content', 'usage', ...endMembers] as const;

/** A message's start, and whatever content it has already. */
export function startMessage(state: StreamState, message: JsonObject): StreamStep {
  if (state.started) throw new GatewayError('upstream_invalid', { detail: 'a second message starts' });
  const id = asText(message.id);
  const start: StreamEvent = {
    type: 'message-start',
    format: 'messages',
    ...optional('id', id),
    ...optional('model', asText(message.model)),
  };
  const events = [start, ...tellMembers('answer', otherMembers(message, startMembers))];
  const [told, usage] = readUsage({ ...state, started: true }, message.usage);
  const [filled, content] = readContent(told, asList(message.content));
  return [filled, [...events, ...usage, ...content]];
}

function readContent(state: StreamState, content: readonly unknown[]): StreamStep {
  let current = state;
  const told: StreamEvent[] = [];
  content.filter(isObject).forEach((raw, index) => {
    const [started, starts] = startBlock(current, index, raw);
    const [ended, ends] = endBlock(started, index);
    // Not `push(...starts)`: a block may have more citations than a call may have arguments.
    for (const event of starts) told.push(event);
    for (const event of ends) told.push(event);
    current = ended;
  });
  return [current, told];
}

/** How a message ended: the `delta` of a `message_delta`, and the members beside it. */
export function finishMessage(state: StreamState, delta: JsonObject, beside: JsonObject): StreamStep {
  const [closed, ends] = endOpenBlocks(state);
  const [counted, usage] = readUsage(closed, beside.usage);
  const rawReason = asText(delta.stop_reason);
  return [
    counted,
    [
      ...ends,
      ...tellMembers('choice', otherMembers(delta, ['stop_reason'])),
      ...tellMembers('answer', otherMembers(beside, ['type', 'delta', 'usage'])),
      ...(rawReason === undefined
        ? []
        : [{ type: 'finish', choice: 0, reason: mapStopReason(rawReason), rawReason } as const]),
      ...usage,
    ],
  ];
}

/** Ends what is open, and says that the answer is whole. */
export function endMessage(state: StreamState): StreamStep {
  const [closed, ends] = endOpenBlocks(state);
  return [{ ...closed, ended: true }, [...ends, { type: 'message-end' }]];
}

/** A whole message, as the events that a stream of it would have been. */
export function readWholeMessage(state: StreamState, message: JsonObject): StreamStep {
  const delta: Record<string, unknown> = {};
  for (const name of endMembers) if (message[name] !== undefined) delta[name] = message[name];
  const [started, start] = startMessage(state, message);
  const [finished, finish] = finishMessage(started, delta, {});
  const [ended, end] = endMessage(finished);
  return [ended, [...start, ...finish, ...end]];
}

function tellMembers(scope: 'answer' | 'choice', members: JsonObject): StreamEvent[] {
  return isEmpty(members) ? [] : [{ type: 'extension', scope, choice: 0, extensions: own.of(members) }];
}

/** Later figures replace earlier ones, one by one: the end of a stream does not say all of them again. */
function readUsage(state: StreamState, raw: unknown): StreamStep {
  const told = asObject(raw);
  if (told === undefined) return [state, []];
  const added = { ...state.usage, ...otherMembers(told, []) };
  const merged = Object.keys(added).length > membersMax ? otherMembers(told, []) : added;
  const usage = parseUsage(merged);
  if (usage === undefined) return [state, []];
  return [{ ...state, usage: merged }, [{ type: 'usage', usage, extensions: own.of(merged) }]];
}
