import type { StreamEvent } from '@gateway/interchange';
import type { HiddenRounds } from '../../net/hidden-rounds.ts';
import type { StreamWriter } from './answer-lane.ts';
import type { FrameGate } from './frame-gate.ts';

interface PassGiven {
  readonly rounds: HiddenRounds;
  readonly openGate: () => FrameGate;
  readonly split: (bytes: Buffer) => Buffer[];
  readonly fillIds: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** Begins to say events in the client's format. */
  readonly openRenderer: () => (events: readonly StreamEvent[]) => readonly Uint8Array[];
}

/**
 * A stream whose request has a net, in the provider's own format: frames go on as they are, byte for byte, until a call
 * begins that may be none of the client's business. From there on events are said anew, by a renderer that knows what went
 * before. What stands before the first block waits for it, so that a round of which nothing is shown leaves no trace.
 */
export function passUntilHeld({ rounds, openGate, split, fillIds, openRenderer }: PassGiven): StreamWriter {
  let gate = openGate();
  let lead: Uint8Array[] = [];
  let render: ReturnType<typeof openRenderer> | undefined;
  const pass = (frame: Buffer): readonly Uint8Array[] => {
    lead.push(frame);
    return rounds.isTold ? lead.splice(0) : [];
  };
  return {
    split: (chunk) => gate.push(chunk).flatMap(split),
    left() {
      const left = gate.rest();
      gate = openGate();
      return left.length === 0 ? [] : [Buffer.concat(left)];
    },
    write(frame, events) {
      const told = fillIds(events);
      if (render === undefined && rounds.holdsAny(told)) {
        render = openRenderer();
        // What the client has seen already: said to the renderer alone.
        if (rounds.isTold) render(rounds.events);
        lead = [];
      }
      const shown = rounds.push(told);
      return render === undefined ? pass(frame) : render(shown);
    },
    rest() {
      const rest = rounds.rest();
      return render === undefined ? lead.splice(0) : render(rest);
    },
  };
}
