import { GatewayError } from '@gateway/errors';
import type { JsonObject, ProviderError, StreamEvent } from '@gateway/interchange';
import { parseExactJson, parseProviderJson } from '../../json/parse-json.ts';
import { asNumber, asObject, asText, isObject, optional } from '../../json/read-members.ts';
import { endMessage, finishMessage, readWholeMessage, startMessage } from './read-message.ts';
import type { StreamState, StreamStep } from './stream-state.ts';
import { initialStreamState } from './stream-state.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { own } from '../shared/own-members.ts';
import { continueBlock, endBlock, startBlock } from './read-block.ts';
import { boundMessage, parseErrorBody } from '../../common/provider-error.ts';
import { mapStatusToErrorType } from '../shared/error-types.ts';

/**
 * Parses a non-streaming response into the events that the equivalent stream would produce.
 *
 * @throws GatewayError `upstream_invalid` when the body is not a JSON object with content or an error.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes, parseExactJson);
  if (isObject(body) && body.error) return [...readError(initialStreamState, body)[1]];
  if (!isObject(body) || !Array.isArray(body.content)) {
    throw new GatewayError('upstream_invalid', { detail: 'the answer has no content' });
  }
  return [...readWholeMessage(initialStreamState, body)[1]];
}

type ReadEvent = (state: StreamState, data: JsonObject) => StreamStep;

/**
 * One reader per event type. Events of unknown types are skipped, like `ping`, because Anthropic adds event
 * types without notice.
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
  if (count === undefined) throw new GatewayError('upstream_invalid', { detail: 'the answer has no count' });
  return count;
}

/**
 * Parses a provider's error body. Known shapes: Anthropic's `{type: "error", error: {type, message,
 * details}}`, its resellers' `{error: {…}}`, `{error: "…"}` and `{message}`, and plain text.
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
