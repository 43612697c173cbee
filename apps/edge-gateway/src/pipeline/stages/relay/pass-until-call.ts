import type { StreamEvent } from '@gateway/interchange';
import type { DeniedCalls } from '../../../tool-lists/denied-calls.ts';
import type { FrameGate } from './frame-gate.ts';
import type { StreamWriter } from './pass-until-withheld.ts';

interface PassGiven {
  readonly calls: DeniedCalls;
  readonly gate: FrameGate;
  readonly split: (bytes: Buffer) => Buffer[];
  readonly fillIds: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** Renders events in the client's format. Sees every event of the response. */
  readonly render: (events: readonly StreamEvent[]) => readonly Uint8Array[];
}

/**
 * Marks of frames that begin a call of a server tool, or its result. Such a frame has no event: the part follows
 * when its block is complete.
 */
const marks = ['tool_', 'toolUse', 'toolResult'];

/**
 * Writes a stream for a key with tool lists in the provider's own format. Frames pass byte for byte until the
 * first call. From then on the client gets rendered events, so it reads exactly the calls that were checked.
 * Nothing is withheld, except that a server tool's block arrives whole.
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
