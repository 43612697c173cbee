import type { StreamParser } from '../../common/format.ts';
import { parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import { parseSseStream } from '../../sse/parse-sse-stream.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { readEvent } from './read-event.ts';
import { initialStreamState, type StreamState, type StreamStep } from './stream-state.ts';

export function openStreamParser(): StreamParser {
  // Without a `message-end` the answer is truncated: nothing is told at the end.
  return parseSseStream({ initial: initialStreamState, parseFrame, endStream: (state) => [state, []] });
}

/** @throws GatewayError `upstream_invalid` for data that is no JSON. */
function parseFrame(state: StreamState, { data }: SseFrame): StreamStep {
  const text = data.trim();
  if (text === '' || text === '[DONE]' || state.ended || state.failed) return [state, []];
  const event = parseProviderJson(text);
  return isObject(event) ? readEvent(state, event) : [state, []];
}
