import { GatewayError } from '@gateway/errors';
import type { CacheMissReport, JsonObject, ProviderError, StreamEvent } from '@gateway/interchange';
import { parseExactJson, parseProviderJson } from '../../json/parse-json.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  asTokens,
  isEmpty,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import type { StreamState, StreamStep } from './stream-state.ts';
import { initialStreamState, membersMax } from './stream-state.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { own } from '../shared/own-members.ts';
import { continueBlock, endBlock, endOpenBlocks, startBlock } from './read-block.ts';
import { boundMessage, parseErrorBody } from '../../common/provider-error.ts';
import { mapStatusToErrorType } from '../shared/error-types.ts';
import { mapStopReason } from '../shared/finish-reasons.ts';
import { parseUsage } from '../shared/token-usage.ts';

/**
 * Parses a non-streaming response into the events that the equivalent stream would produce.
 *
 * @throws GatewayError `upstream_invalid` when the body is not a JSON object with content or an error.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes, parseExactJson);
  if (isObject(body) && body.error) return [...readError(initialStreamState, body)[1]];
  if (!isObject(body) || !Array.isArray(body.content)) {
    throw new GatewayError('upstream_invalid', { detail: 'the response has no content' });
  }
  return [...readWholeMessage(initialStreamState, body)[1]];
}

type ReadEvent = (state: StreamState, data: JsonObject) => StreamStep;

/**
 * The reader for each event type. Events of other types, such as `ping`, are skipped, because Anthropic adds
 * event types without notice.
 */
const readers: ReadonlyMap<string, ReadEvent> = new Map<string, ReadEvent>([
  ['message_start', (state, data) => startMessage(state, asObject(data.message) ?? {})],
  [
    'content_block_start',
    (state, data) => startBlock(state, indexOf(data), asObject(data.content_block) ?? {}),
  ],
  ['content_block_delta', (state, data) => continueBlock(state, indexOf(data), asObject(data.delta) ?? {})],
  ['content_block_stop', (state, data) => endBlock(state, indexOf(data))],
  ['message_delta', (state, data) => finishMessage(state, asObject(data.delta) ?? {}, data)],
  ['message_stop', endMessage],
  // Vertex AI sends a complete message if the request contains conflicting values for streaming.
  ['message', readWholeMessage],
  ['error', readError],
]);

/**
 * Parses one event from a provider's stream.
 * @throws GatewayError `upstream_invalid` if the data is not JSON or events are out of order.
 */
export function parseFrame(state: StreamState, frame: SseFrame): StreamStep {
  if (state.ended || frame.data.trim() === '') return [state, []];
  const data = asObject(parseProviderJson(frame.data, parseExactJson)) ?? {};
  return readers.get(asText(data.type) ?? frame.event ?? '')?.(state, data) ?? [state, []];
}

/** Only `message_stop` completes the response, so closing the stream adds no event. */
export function endStream(state: StreamState): StreamStep {
  return [state, []];
}

function indexOf(data: JsonObject): number {
  return asNumber(data.index) ?? 0;
}

/** An error event ends the response. */
function readError(state: StreamState, data: JsonObject): StreamStep {
  const { message, type, code } = parseErrorValue(data.error);
  const event: StreamEvent = {
    type: 'error',
    message,
    errorType: type,
    ...optional('code', code),
    extensions: own.of(asObject(data.error) ?? {}),
  };
  return [{ ...state, ended: true }, [event]];
}

/**
 * Parses the input token count in a provider's response to `POST /v1/messages/count_tokens`.
 *
 * @throws GatewayError `upstream_invalid`
 */
export function parseTokenCount(bytes: Uint8Array): number {
  const count = asNumber(asObject(parseProviderJson(bytes))?.input_tokens);
  if (count === undefined)
    throw new GatewayError('upstream_invalid', { detail: 'the response has no token count' });
  return count;
}

/**
 * Parses a provider's error body. The body has Anthropic's shape (`{error:{type,message,details}}`), or the
 * shape of a reseller (`{error:{…}}`, `{error:"…"}` or `{message}`). The body may also be plain text.
 */
export function parseError(status: number, body: string): ProviderError {
  const parsed = parseErrorBody(body);
  const error = parseErrorValue(asObject(parsed)?.error ?? parsed);
  return {
    ...error,
    message: boundMessage(error.message, status),
    type: error.type || mapStatusToErrorType(status),
  };
}

/** Parses the value of an `error` field. Missing properties of the error become empty strings or null. */
function parseErrorValue(value: unknown): ProviderError {
  const error: JsonObject = typeof value === 'string' ? { message: value } : (asObject(value) ?? {});
  const code = asText(asObject(error.details)?.error_code) ?? asText(error.code) ?? asNumber(error.code);
  return {
    message: asText(error.message) ?? '',
    type: asText(error.type) ?? '',
    code: code === undefined ? null : String(code),
    param: null,
  };
}

/** Message fields that are sent at the end of a stream, in a `delta` event. */
const endMembers = ['stop_reason', 'stop_sequence', 'stop_details', 'container'] as const;

/** Message fields that `startMessage` does not turn into extensions. */
const startMembers = ['id', 'type', 'role', 'model', 'content', 'usage', ...endMembers] as const;

/** Reads the start of a message and any content in the start event. */
function startMessage(state: StreamState, message: JsonObject): StreamStep {
  if (state.started)
    throw new GatewayError('upstream_invalid', { detail: 'the stream starts a second message' });
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

/**
 * Reads the end of a message. `outer` is the event `message_delta`, and `delta` is the object inside the
 * event.
 */
function finishMessage(state: StreamState, delta: JsonObject, outer: JsonObject): StreamStep {
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
function endMessage(state: StreamState): StreamStep {
  const [closed, ends] = endOpenBlocks(state);
  return [{ ...closed, ended: true }, [...ends, { type: 'message-end' }]];
}

/** Reads a complete message into the events that the equivalent stream would produce. */
function readWholeMessage(state: StreamState, message: JsonObject): StreamStep {
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

/** Merges token counts by name, because the end of a stream repeats only some of the counts. */
function readUsage(state: StreamState, raw: unknown): StreamStep {
  const latest = asObject(raw);
  if (latest === undefined) return [state, []];
  const added = { ...state.usage, ...otherMembers(latest, []) };
  const merged = Object.keys(added).length > membersMax ? otherMembers(latest, []) : added;
  const usage = parseUsage(merged);
  if (usage === undefined) return [state, []];
  return [{ ...state, usage: merged }, [{ type: 'usage', usage, extensions: own.of(merged) }]];
}
