import { GatewayError } from '@gateway/errors';
import type { CacheMissReport, JsonObject, StreamEvent } from '@gateway/interchange';
import {
  asList,
  asObject,
  asText,
  asTokens,
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

/** Message fields that a stream sends at its end, in a `delta`. */
const endMembers = ['stop_reason', 'stop_sequence', 'stop_details', 'container'] as const;

/** Message fields that have a separate reader or belong to the end of the message. */
const startMembers = ['id', 'type', 'role', 'model', 'content', 'usage', ...endMembers] as const;

/** Reads the start of a message and the content at the start. */
export function startMessage(state: StreamState, message: JsonObject): StreamStep {
  if (state.started) throw new GatewayError('upstream_invalid', { detail: 'a second message starts' });
  const id = asText(message.id);
  const start: StreamEvent = {
    type: 'message-start',
    format: 'messages',
    ...optional('id', id),
    ...optional('model', asText(message.model)),
    ...optional('cacheMiss', readCacheMiss(message)),
  };
  const events = [start, ...createExtensions('answer', otherMembers(message, startMembers))];
  const [counted, usage] = readUsage({ ...state, started: true }, message.usage);
  const [filled, content] = readContent(counted, asList(message.content));
  return [filled, [...events, ...usage, ...content]];
}

const changedParts = ['model', 'tools', 'system', 'messages'] as const;

/** Reads `diagnostics`. Cache miss reasons such as `unavailable` contain no explanation and are skipped. */
function readCacheMiss({ diagnostics }: JsonObject): CacheMissReport | undefined {
  const reason = asObject(asObject(diagnostics)?.cache_miss_reason);
  const part = changedParts.find((each) => reason?.type === `${each}_changed`);
  return part && { part, tokens: asTokens(reason?.cache_missed_input_tokens) ?? null };
}

function readContent(state: StreamState, content: readonly unknown[]): StreamStep {
  let current = state;
  const events: StreamEvent[] = [];
  content.filter(isObject).forEach((raw, index) => {
    const [started, starts] = startBlock(current, index, raw);
    const [ended, ends] = endBlock(started, index);
    // `push(...starts)` would fail, because a function call accepts a limited number of arguments.
    for (const event of starts) events.push(event);
    for (const event of ends) events.push(event);
    current = ended;
  });
  return [current, events];
}

/** Reads the end of a message: the object `delta` in a `message_delta`, and the fields next to `delta`. */
export function finishMessage(state: StreamState, delta: JsonObject, outer: JsonObject): StreamStep {
  const [closed, ends] = endOpenBlocks(state);
  const [counted, usage] = readUsage(closed, outer.usage);
  const rawReason = asText(delta.stop_reason);
  return [
    counted,
    [
      ...ends,
      ...createExtensions('choice', otherMembers(delta, ['stop_reason'])),
      ...createExtensions('answer', otherMembers(outer, ['type', 'delta', 'usage'])),
      ...(rawReason === undefined
        ? []
        : [{ type: 'finish', choice: 0, reason: mapStopReason(rawReason), rawReason } as const]),
      ...usage,
    ],
  ];
}

/** Ends all open blocks and the response. */
export function endMessage(state: StreamState): StreamStep {
  const [closed, ends] = endOpenBlocks(state);
  return [{ ...closed, ended: true }, [...ends, { type: 'message-end' }]];
}

/** Reads a complete message into the same events as the equivalent stream. */
export function readWholeMessage(state: StreamState, message: JsonObject): StreamStep {
  const delta: Record<string, unknown> = {};
  for (const name of endMembers) if (message[name] !== undefined) delta[name] = message[name];
  const [started, start] = startMessage(state, message);
  const [finished, finish] = finishMessage(started, delta, {});
  const [ended, end] = endMessage(finished);
  return [ended, [...start, ...finish, ...end]];
}

function createExtensions(scope: 'answer' | 'choice', members: JsonObject): StreamEvent[] {
  return isEmpty(members) ? [] : [{ type: 'extension', scope, choice: 0, extensions: own.of(members) }];
}

/**
 * Merges token counts by name. Later counts take precedence. The end of a stream does not repeat all counts.
 */
function readUsage(state: StreamState, raw: unknown): StreamStep {
  const latest = asObject(raw);
  if (latest === undefined) return [state, []];
  const added = { ...state.usage, ...otherMembers(latest, []) };
  const merged = Object.keys(added).length > membersMax ? otherMembers(latest, []) : added;
  const usage = parseUsage(merged);
  if (usage === undefined) return [state, []];
  return [{ ...state, usage: merged }, [{ type: 'usage', usage, extensions: own.of(merged) }]];
}
