import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { StreamParser } from '../format.ts';
import type { SseReducer } from '../sse/parse-sse-stream.ts';
import { JsonArrayDecoder } from './json-array-decoder.ts';

/**
 * Runs a format's reducer over a list of objects that arrives in pieces, as if each were the data of an event. A list
 * that is not closed is an answer cut short: its end is not told.
 */
export function parseJsonArrayStream<State>(
  { initial, parseFrame, endStream }: SseReducer<State>,
  { frameBytesMax }: { readonly frameBytesMax: number },
): StreamParser {
  const decoder = new JsonArrayDecoder(frameBytesMax);
  let state = initial;
  return {
    push: (chunk) =>
      readElements(decoder, chunk).flatMap((data): readonly StreamEvent[] => {
        const [next, events] = parseFrame(state, { data });
        state = next;
        return events;
      }),
    end: () => (decoder.isWhole ? [...endStream(state)[1]] : []),
  };
}

function readElements(decoder: JsonArrayDecoder, chunk: Uint8Array): string[] {
  try {
    return decoder.push(chunk);
  } catch (cause) {
    throw new GatewayError('upstream_invalid', { detail: 'an element of the stream is too long', cause });
  }
}
