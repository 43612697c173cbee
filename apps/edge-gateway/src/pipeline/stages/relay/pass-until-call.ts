import type { StreamEvent } from '@gateway/interchange';
import type { DeniedCalls } from '../../../tool-lists/denied-calls.ts';
import type { FrameGate } from './frame-gate.ts';
import type { StreamWriter } from './pass-until-withheld.ts';

interface PassGiven {
  readonly calls: DeniedCalls;
  readonly gate: FrameGate;
  readonly split: (bytes: Buffer) => Buffer[];
  readonly fillIds: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** Renders events in the client's format. Receives every event of the response. */
  readonly render: (events: readonly StreamEvent[]) => readonly Uint8Array[];
}

/**
 * Texts in frames that begin a server tool's call or the result of such a call. These frames have no event,
 * because the event is created when the block is complete.
 */
const marks = ['tool_', 'toolUse', 'toolResult'];

/**
 * Writes a stream for a key with tool lists in the provider's own format. Frames pass byte for byte until the
 * first call. After that the client gets rendered events, so it reads exactly the calls that were checked. No
 * bytes are withheld, except that a server tool's block is sent when it is complete.
 */
export function passUntilCall({ calls, gate, split, fillIds, render }: PassGiven): StreamWriter {
  let isRendering = false;
  return {
    split: (chunk) => split(Buffer.concat(gate.push(chunk))),
    left() {
      const left = gate.rest().filter(({ length }) => length > 0);
      return left.length === 0 ? [] : [Buffer.concat(left)];
    },
    write(frame, events) {
      const rendered = render(calls.push(fillIds(events)));
      isRendering ||= calls.hasCalls || (events.length === 0 && marks.some((mark) => frame.includes(mark)));
      if (isRendering) return rendered;
      return frame.length === 0 ? [] : [frame];
    },
    rest: () => [],
  };
}
