import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { parseProviderJson } from '../../json/parse-provider-json.ts';
import { isObject } from '../../json/read-members.ts';
import type { SseFrame } from '../../sse/sse-frame.ts';
import { endBlocks } from './read-choice.ts';
import { readChunk, type StreamStep } from './read-chunk.ts';
import type { StreamState } from './stream-state.ts';

/**
 * One event of a provider's stream.
 *
 * @throws GatewayError `upstream_invalid` for data that is no JSON.
 */
export function parseFrame(state: StreamState, frame: SseFrame): StreamStep {
  const data = frame.data.trim();
  if (data === '' || state.ended) return [state, []];
  if (data === '[DONE]') return endMessage(state);
  const chunk = parseChunk(data);
  return readChunk(
    state,
    frame.event === 'error' && chunk.error === undefined ? { error: chunk } : chunk,
    false,
  );
}

/**
 * The provider closed the stream in good order. Some leave `[DONE]` out: where every choice that started has given its
 * finish reason, the answer is whole all the same. Otherwise there is no `message-end`, and the answer is truncated.
 */
export function endStream(state: StreamState): StreamStep {
  const choices = [...state.choices.values()];
  const isWhole = choices.length > 0 && choices.every((choice) => choice.finished);
  return isWhole && !state.ended ? endMessage(state) : [state, []];
}

/** Ends what is open, and says that the answer is whole. */
export function endMessage(state: StreamState): StreamStep {
  const events: StreamEvent[] = [];
  const choices = new Map(state.choices);
  for (const [index, choice] of state.choices) {
    const [closed, ends] = endBlocks(choice);
    choices.set(index, closed);
    events.push(...ends);
  }
  return [{ ...state, choices, ended: true }, [...events, { type: 'message-end' }]];
}

function parseChunk(data: string): JsonObject {
  const chunk = parseProviderJson(data);
  return isObject(chunk) ? chunk : {};
}
