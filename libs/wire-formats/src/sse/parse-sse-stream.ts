import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { StreamParser } from '../common/format.ts';
import type { Step } from '../common/stream-step.ts';
import { SseDecoder, type SseDecoderOptions } from './sse-frames.ts';
import type { SseFrame } from './sse-frames.ts';

/** A format's reducer, which turns server-sent events into stream events. */
export interface SseReducer<State> {
  readonly initial: State;
  readonly parseFrame: (state: State, frame: SseFrame) => Step<State>;
  readonly endStream: (state: State) => Step<State>;
}

/** Creates a parser that runs a format's reducer over the bytes of one response. */
export function parseSseStream<State>(
  { initial, parseFrame, endStream }: SseReducer<State>,
  options?: SseDecoderOptions,
): StreamParser {
  const decoder = new SseDecoder(options);
  let state = initial;
  const reduce = (frames: readonly SseFrame[]): StreamEvent[] => {
    const events: StreamEvent[] = [];
    for (const frame of frames) {
      const [next, added] = parseFrame(state, frame);
      state = next;
      // `push(...added)` would fail, because a function call accepts a limited number of arguments.
      for (const event of added) events.push(event);
    }
    return events;
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
    throw new GatewayError('upstream_invalid', {
      detail: 'a line or event of the stream exceeds the size limit',
      cause,
    });
  }
}
