import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { StreamParser } from '../common/format.ts';
import type { Step } from '../common/stream-step.ts';
import { EventStreamDecoder } from './event-stream-decoder.ts';
import { EventStreamError } from './event-stream-message.ts';
import type { EventStreamMessage } from './event-stream-message.ts';

/** The reducer that a wire format supplies for its binary event stream. */
export interface EventStreamReducer<State> {
  readonly initial: State;
  readonly parseMessage: (state: State, message: EventStreamMessage) => Step<State>;
  readonly endStream: (state: State) => Step<State>;
}

/**
 * Runs a format's reducer over the bytes of one response. Events before a corrupt frame are returned first, so that
 * the returned events do not depend on chunk boundaries. The next call throws the error for the corrupt frame.
 */
export function parseEventStream<State>(reducer: EventStreamReducer<State>): StreamParser {
  const decoder = new EventStreamDecoder();
  let state = reducer.initial;
  let failure: GatewayError | undefined;
  return {
    get failure() {
      return failure;
    },
    push(chunk) {
      if (failure !== undefined) throw failure;
      const emitted: StreamEvent[] = [];
      try {
        for (const message of decoder.push(chunk)) {
          const [next, events] = reducer.parseMessage(state, message);
          state = next;
          for (const event of events) emitted.push(event);
        }
      } catch (thrown) {
        failure = toInvalid(thrown);
        if (emitted.length === 0) throw failure;
      }
      return emitted;
    },
    end() {
      if (failure !== undefined) throw failure;
      // An incomplete frame at the end means that the response is truncated.
      return decoder.pendingBytes > 0 ? [] : [...reducer.endStream(state)[1]];
    },
  };
}

function toInvalid(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (!(thrown instanceof EventStreamError)) throw thrown;
  return new GatewayError('upstream_invalid', { detail: thrown.message, cause: thrown });
}
