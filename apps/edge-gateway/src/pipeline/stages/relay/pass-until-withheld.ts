import type { StreamEvent } from '@gateway/interchange';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { FrameGate } from './frame-gate.ts';

/** Turns what was read of a stream into what goes to the client. Made for one answer. */
export interface StreamWriter {
  /** The pieces in which the provider's bytes are to be read and written. */
  split(chunk: Buffer): readonly Buffer[];
  /** What of them is left when the provider has sent all. */
  left(): readonly Buffer[];
  /** @param chunk the provider's bytes; @param events what they say. */
  write(chunk: Buffer, events: readonly StreamEvent[]): readonly Uint8Array[];
  /** What is still to go out at the end of a stream that ended in good order. Where there are rounds, of the last one. */
  rest(): readonly Uint8Array[];
}

interface PassGiven {
  readonly rounds: RecoveryRounds;
  readonly openGate: () => FrameGate;
  readonly split: (bytes: Buffer) => Buffer[];
  readonly fillIds: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** Begins to say events in the client's format. */
  readonly openRenderer: () => (events: readonly StreamEvent[]) => readonly Uint8Array[];
}

type Render = ReturnType<PassGiven['openRenderer']>;

/**
 * A stream whose request has a net, in the provider's own format: frames go on as they are, byte for byte, until a call
 * turns out to be none of the client's business. From there on events are said anew, by a renderer that knows what went
 * before. Frames wait while a call is undecided; so does what stands before the first block, so that a round of which
 * nothing is shown leaves no trace.
 */
export function passUntilWithheld(given: PassGiven): StreamWriter {
  const { rounds, openGate, split, fillIds } = given;
  let gate = openGate();
  let waiting = new WaitingFrames(given);
  let render: Render | undefined;
  const sayAnew = (): readonly Uint8Array[] => {
    const turned = waiting.sayAnew();
    render = turned.render;
    waiting = new WaitingFrames(given);
    return turned.said;
  };
  const say = (events: readonly StreamEvent[]): readonly Uint8Array[] => render?.(events) ?? [];
  return {
    // A frame that came in several pieces is one: what it says decides over all of it.
    split: (chunk) => split(Buffer.concat(gate.push(chunk))),
    left() {
      const left = gate.rest();
      gate = openGate();
      return left.length === 0 ? [] : [Buffer.concat(left)];
    },
    write(frame, events) {
      const told = fillIds(events);
      const before = render === undefined && rounds.count > 0 ? sayAnew() : [];
      if (render !== undefined) return [...before, ...say(rounds.push(told))];
      waiting.beforeAny(told);
      waiting.add(frame, rounds.push(told));
      if (rounds.isAltered) return sayAnew();
      // After an error nothing is decided any more: what is held back is dropped, and the error goes on.
      if (!rounds.isUnchanged && told.some(({ type }) => type === 'error')) return sayAnew();
      return rounds.hasShown && rounds.isUnchanged ? waiting.release() : [];
    },
    rest() {
      const rest = rounds.rest();
      if (render === undefined && rounds.isUnchanged) return waiting.release();
      const before = render === undefined ? sayAnew() : [];
      return [...before, ...say(rest)];
    },
  };
}

/**
 * What a round had told at some time: so many of its events, the last of which may since have been put together with more. A copy
 * for each call that is held would take the square of their number.
 */
interface ToldThen {
  readonly events: readonly StreamEvent[];
  readonly count: number;
  readonly last: StreamEvent | undefined;
}

/** Frames that have not gone on, beside what they say to the client. */
class WaitingFrames {
  readonly #given: PassGiven;
  #frames: Uint8Array[] = [];
  #says: StreamEvent[] = [];
  /** What had gone on before the first undecided call. */
  #gone: ToldThen | undefined;

  constructor(given: PassGiven) {
    this.#given = given;
  }

  beforeAny(events: readonly StreamEvent[]): void {
    const { rounds } = this.#given;
    if (this.#gone !== undefined || !rounds.withholdsAny(events)) return;
    const told = rounds.hasShown ? rounds.events : [];
    this.#gone = { events: told, count: told.length, last: told.at(-1) };
  }

  add(frame: Uint8Array, says: readonly StreamEvent[]): void {
    this.#frames.push(frame);
    this.#says.push(...says);
  }

  release(): readonly Uint8Array[] {
    this.#says = [];
    this.#gone = undefined;
    return this.#frames.splice(0);
  }

  sayAnew(): { render: Render; said: readonly Uint8Array[] } {
    const render = this.#given.openRenderer();
    // What the client has seen already: said to the renderer alone.
    const { events, count, last } = this.#gone ?? { events: [], count: 0, last: undefined };
    if (last !== undefined) render([...events.slice(0, count - 1), last]);
    return { render, said: render(this.#says) };
  }
}
