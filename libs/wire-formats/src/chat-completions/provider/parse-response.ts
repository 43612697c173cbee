import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { Step } from '../../common/stream-step.ts';
import { parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import { readChunk } from './read-chunk.ts';
import type { StreamState } from './stream-state.ts';
import { initialStreamState } from './stream-state.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { endBlocks } from './read-choice.ts';

/**
 * Parses a non-streaming response into the events that the equivalent stream would produce.
 *
 * @throws GatewayError `upstream_invalid` when the body is not a JSON object with choices or an error.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes);
  if (!isObject(body) || !(Array.isArray(body.choices) || body.error)) {
    throw new GatewayError('upstream_invalid', { detail: 'the response has no choices' });
  }
  const events: StreamEvent[] = [];
  const state = readChunk(initialStreamState, body, true, events);
  if (!events.some((event) => event.type === 'error')) endMessage(state, events);
  return events;
}

const nothing: readonly StreamEvent[] = [];

/**
 * Parses one event from a provider's stream.
 *
 * @throws GatewayError `upstream_invalid` when the data is not JSON.
 */
export function parseFrame(state: StreamState, frame: SseFrame): Step<StreamState> {
  const data = frame.data.trim();
  if (data === '' || state.ended) return [state, nothing];
  const events: StreamEvent[] = [];
  if (data === '[DONE]') return [endMessage(state, events), events];
  const chunk = parseChunk(data);
  const isBareError = frame.event === 'error' && chunk.error === undefined;
  return [readChunk(state, isBareError ? { error: chunk } : chunk, false, events), events];
}

/**
 * Handles a stream that closed without an error. Some providers omit `[DONE]`, so a response is also complete
 * if every started choice has a finish reason. If a choice has no finish reason, the response is truncated
 * and no `message-end` event is returned.
 */
export function endStream(state: StreamState): Step<StreamState> {
  const choices = [...state.choices.values()];
  const isComplete = choices.length > 0 && choices.every((choice) => choice.finished);
  if (!isComplete || state.ended || state.failed) return [state, nothing];
  const events: StreamEvent[] = [];
  return [endMessage(state, events), events];
}

/** Ends all open blocks and the response. Chunks after the end are ignored. */
function endMessage(state: StreamState, events: StreamEvent[]): StreamState {
  for (const choice of state.choices.values()) endBlocks(choice, events);
  events.push({ type: 'message-end' });
  return { ...state, ended: true };
}

function parseChunk(data: string): JsonObject {
  const chunk = parseProviderJson(data);
  return isObject(chunk) ? chunk : {};
}
