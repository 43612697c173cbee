import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import { readChunk } from './read-chunk.ts';
import type { StreamState } from './stream-state.ts';
import { initialStreamState } from './stream-state.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { endBlocks } from './read-choice.ts';

/**
 * A plain answer, as the events that a stream of it would have been.
 *
 * @throws GatewayError `upstream_invalid` for what is no JSON object with choices.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes);
  if (!isObject(body) || !(Array.isArray(body.choices) || body.error)) {
    throw new GatewayError('upstream_invalid', { detail: 'the answer has no choices' });
  }
  const told: StreamEvent[] = [];
  const state = readChunk(initialStreamState, body, true, told);
  if (!told.some((event) => event.type === 'error')) endMessage(state, told);
  return told;
}

type StreamStep = readonly [StreamState, readonly StreamEvent[]];

const nothing: readonly StreamEvent[] = [];

/**
 * One event of a provider's stream.
 *
 * @throws GatewayError `upstream_invalid` for data that is no JSON.
 */
export function parseFrame(state: StreamState, frame: SseFrame): StreamStep {
  const data = frame.data.trim();
  if (data === '' || state.ended) return [state, nothing];
  const told: StreamEvent[] = [];
  if (data === '[DONE]') return [endMessage(state, told), told];
  const chunk = parseChunk(data);
  const isBareError = frame.event === 'error' && chunk.error === undefined;
  return [readChunk(state, isBareError ? { error: chunk } : chunk, false, told), told];
}

/**
 * The provider closed the stream in good order. Some leave `[DONE]` out: where every choice that started has given its
 * finish reason, the answer is whole all the same. Otherwise there is no `message-end`, and the answer is truncated.
 */
export function endStream(state: StreamState): StreamStep {
  const choices = [...state.choices.values()];
  const isWhole = choices.length > 0 && choices.every((choice) => choice.finished);
  if (!isWhole || state.ended) return [state, nothing];
  const told: StreamEvent[] = [];
  return [endMessage(state, told), told];
}

/** Ends what is open, and says that the answer is whole: nothing of it is read any more. */
function endMessage(state: StreamState, told: StreamEvent[]): StreamState {
  for (const choice of state.choices.values()) endBlocks(choice, told);
  told.push({ type: 'message-end' });
  return { ...state, ended: true };
}

function parseChunk(data: string): JsonObject {
  const chunk = parseProviderJson(data);
  return isObject(chunk) ? chunk : {};
}
