import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { textHeader, type EventStreamMessage } from '../../event-stream/event-stream-message.ts';
import { parseProviderJson } from '../../json/parse-json.ts';
import { asObject, asText, optional, otherMembers } from '../../json/read-members.ts';
import { mapExceptionToType } from '../shared/exceptions.ts';
import { own } from '../shared/own-members.ts';
import { endOpenBlock, chainSteps, type StreamState, type StreamStep } from './stream-state.ts';
import { tellExtensions, tellFinish, tellUsage } from './parse-response.ts';
import { readBlockDelta, readBlockStart, readBlockStop } from './read-block.ts';

/** The padding that AWS adds to frames, so that their length tells nothing of the text. */
const padding = 'p';

/**
 * One frame of a provider's stream.
 *
 * @throws GatewayError `upstream_invalid` for a payload that is no JSON.
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
  return chainSteps(state, startOnce, (current) => read(current, payload), endOnce);
}

/** A handler an event. Events that are new to us are passed over. */
const events: ReadonlyMap<string, (state: StreamState, payload: JsonObject) => StreamStep> = new Map([
  ['messageStart', readMessageStart],
  ['contentBlockStart', readBlockStart],
  ['contentBlockDelta', readBlockDelta],
  ['contentBlockStop', readBlockStop],
  ['messageStop', readMessageStop],
  ['metadata', readMetadata],
]);

function readMessageStart(state: StreamState, payload: JsonObject): StreamStep {
  return [state, tellExtensions('message', otherMembers(payload, ['role', padding]))];
}

/** Some gateways leave the first frame out. */
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
    [...ends, ...tellExtensions('answer', rest), ...tellFinish(payload.stopReason)],
  ];
}

function readMetadata(state: StreamState, payload: JsonObject): StreamStep {
  const rest = otherMembers(payload, ['usage', padding]);
  return [{ ...state, told: true }, [...tellExtensions('answer', rest), ...tellUsage(payload.usage)]];
}

function endOnce(state: StreamState): StreamStep {
  return state.stopped && state.told ? [{ ...state, ended: true }, [{ type: 'message-end' }]] : [state, []];
}

/** The provider closed in good order. The answer is whole when it said why it stopped, with or without its usage. */
export function endStream(state: StreamState): StreamStep {
  return state.stopped && !state.ended ? [{ ...state, ended: true }, [{ type: 'message-end' }]] : [state, []];
}

function readFailure(state: StreamState, message: EventStreamMessage, payload: JsonObject): StreamStep {
  const code = textHeader(message, ':exception-type') ?? textHeader(message, ':error-code');
  const told: StreamEvent = {
    type: 'error',
    message:
      asText(payload.message) ??
      asText(payload.originalMessage) ??
      'The provider ended the answer with an error.',
    ...optional('code', code),
    errorType: (code === undefined ? undefined : mapExceptionToType(code)) ?? 'api_error',
    extensions: own.of(payload),
  };
  return [{ ...state, ended: true }, [told]];
}

function readErrorHeaders(message: EventStreamMessage): JsonObject {
  return { ...optional('message', textHeader(message, ':error-message')) };
}
