import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { chainSteps } from '../../common/stream-step.ts';
import { textHeader, type EventStreamMessage } from '../../event-stream/event-stream-message.ts';
import { parseProviderJson } from '../../json/parse-json.ts';
import { asObject, asText, optional, otherMembers } from '../../json/read-members.ts';
import { mapExceptionToType } from '../shared/exceptions.ts';
import { own } from '../shared/own-members.ts';
import { endOpenBlock, type StreamState, type StreamStep } from './stream-state.ts';
import { emitExtensions, emitFinish, emitUsage } from './parse-response.ts';
import { readBlockDelta, readBlockStart, readBlockStop } from './read-block.ts';

/** A padding field that AWS adds to frames so that the frame length does not reveal the text length. */
const padding = 'p';

/**
 * Parses one frame from a provider's stream.
 *
 * @throws GatewayError `upstream_invalid` for a payload that is not JSON
 */
export function parseMessage(state: StreamState, message: EventStreamMessage): StreamStep {
  if (state.ended) return [state, []];
  const kind = textHeader(message, ':message-type');
  if (kind === 'error') return readFailure(state, message, readErrorHeaders(message));
  const payload =
    message.payload.byteLength === 0 ? {} : (asObject(parseProviderJson(message.payload)) ?? {});
  if (kind === 'exception') return readFailure(state, message, payload);
  const read = events.get(textHeader(message, ':event-type') ?? '');
  if (read === undefined) return [state, []];
  return chainSteps(state, [startOnce, (current) => read(current, payload), endOnce]);
}

/** The handler for each event type. Events of unknown types are skipped. */
const events: ReadonlyMap<string, (state: StreamState, payload: JsonObject) => StreamStep> = new Map([
  ['messageStart', readMessageStart],
  ['contentBlockStart', readBlockStart],
  ['contentBlockDelta', readBlockDelta],
  ['contentBlockStop', readBlockStop],
  ['messageStop', readMessageStop],
  ['metadata', readMetadata],
]);

function readMessageStart(state: StreamState, payload: JsonObject): StreamStep {
  return [state, emitExtensions('message', otherMembers(payload, ['role', padding]))];
}

/**
 * Emits the message start event once, even if the first frame is missing. Some third-party gateways omit the
 * first frame.
 */
function startOnce(state: StreamState): StreamStep {
  if (state.started) return [state, []];
  return [{ ...state, started: true }, [{ type: 'message-start', format: 'converse' }]];
}

function readMessageStop(state: StreamState, payload: JsonObject): StreamStep {
  if (state.stopped) return [state, []];
  const [closed, ends] = endOpenBlock(state);
  const rest = otherMembers(payload, ['stopReason', padding]);
  return [
    { ...closed, stopped: true },
    [...ends, ...emitExtensions('answer', rest), ...emitFinish(payload.stopReason)],
  ];
}

function readMetadata(state: StreamState, payload: JsonObject): StreamStep {
  const rest = otherMembers(payload, ['usage', padding]);
  return [{ ...state, hasMetadata: true }, [...emitExtensions('answer', rest), ...emitUsage(payload.usage)]];
}

function endOnce(state: StreamState): StreamStep {
  return state.stopped && state.hasMetadata
    ? [{ ...state, ended: true }, [{ type: 'message-end' }]]
    : [state, []];
}

/**
 * Handles a stream that closed without an error. The response is complete if it has a stop reason, even
 * without usage.
 */
export function endStream(state: StreamState): StreamStep {
  return state.stopped && !state.ended ? [{ ...state, ended: true }, [{ type: 'message-end' }]] : [state, []];
}

function readFailure(state: StreamState, message: EventStreamMessage, payload: JsonObject): StreamStep {
  const code = textHeader(message, ':exception-type') ?? textHeader(message, ':error-code');
  const error: StreamEvent = {
    type: 'error',
    message:
      asText(payload.message) ??
      asText(payload.originalMessage) ??
      'The provider ended the response with an error and gave no message.',
    ...optional('code', code),
    errorType: (code === undefined ? undefined : mapExceptionToType(code)) ?? 'api_error',
    extensions: own.of(payload),
  };
  return [{ ...state, ended: true }, [error]];
}

function readErrorHeaders(message: EventStreamMessage): JsonObject {
  return { ...optional('message', textHeader(message, ':error-message')) };
}
