import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { StreamParser } from '../common/format.ts';
import { SseDecoder, type SseDecoderOptions } from './sse-frames.ts';
import type { SseFrame } from './sse-frames.ts';

/** A format's reading of a stream of server-sent events. */
export interface SseReducer<State> {
  readonly initial: State;
  readonly parseFrame: (state: State, frame: SseFrame) => readonly [State, readonly StreamEvent[]];
  readonly endStream: (state: State) => readonly [State, readonly StreamEvent[]];
}

/** Runs a format's reducer over the bytes of one answer. */
export function parseSseStream<State>(
  { initial, parseFrame, endStream }: SseReducer<State>,
  options?: SseDecoderOptions,
): StreamParser {
  const decoder = new SseDecoder(options);
  let state = initial;
  const reduce = (frames: readonly SseFrame[]): StreamEvent[] => {
    const told: StreamEvent[] = [];
    for (const frame of frames) {
      const [next, events] = parseFrame(state, frame);
      state = next;
      // Not `push(...events)`: a frame may tell more events than a call may have arguments.
      for (const event of events) told.push(event);
    }
    return told;
  };
  return {
    push: (chunk) => reduce(readFrames(() => decoder.push(chunk))),
    end() {
      const last = reduce(readFrames(() => decoder.flush()));
      return [...last, ...endStream(state)[1]];
    },
  };
}

function readFrames(read: () => SseFrame[]): SseFrame[] {
  try {
    return read();
  } catch (cause) {
    throw new GatewayError('upstream_invalid', { detail: 'an event of the stream is too long', cause });
  }
}
