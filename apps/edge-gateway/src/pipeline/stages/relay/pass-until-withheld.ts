import type { StreamEvent } from '@gateway/interchange';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { FrameGate } from './frame-gate.ts';

/** Writes a parsed stream to the client. Each response has its own stream writer. */
export interface StreamWriter {
  /** Splits the provider's bytes into pieces. The caller parses and writes each piece before the next. */
  split(chunk: Buffer): readonly Buffer[];
  /** Returns the remaining piece after the provider has sent the whole stream. */
  left(): readonly Buffer[];
  /**
   * Returns the bytes to send to the client.
   * @param chunk bytes received from the provider.
   * @param events the events that were parsed from the provider's bytes
   */
  write(chunk: Buffer, events: readonly StreamEvent[]): readonly Uint8Array[];
  /**
   * Returns the bytes that remain at the end of a complete stream. After recovery rounds, the bytes belong to the
   * last round.
   */
  rest(): readonly Uint8Array[];
}

interface PassGiven {
  readonly rounds: RecoveryRounds;
  readonly openGate: () => FrameGate;
  readonly split: (bytes: Buffer) => Buffer[];
  readonly fillIds: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /**
   * Opens a renderer for events in the client's format.
   * @param lastFrame the last frame that was sent to the client
   */
  readonly openRenderer: (
    lastFrame: Uint8Array | undefined,
  ) => (events: readonly StreamEvent[]) => readonly Uint8Array[];
}

type Render = ReturnType<PassGiven['openRenderer']>;

/**
 * Writes a stream with recovery in the provider's own format. Frames are sent byte for byte until the first
 * tool call that must be hidden from the client. After the first withheld tool call, the stream is rendered by
 * a renderer that has received all earlier events. Frames are buffered while the decision about a tool call is
 * pending. Frames before the first block are buffered too, so a recovery round without visible content sends nothing.
 */
export function passUntilWithheld(given: PassGiven): StreamWriter {
  const { rounds, openGate, split, fillIds } = given;
  let gate = openGate();
  let waiting = new WaitingFrames(given);
  let render: Render | undefined;
  const switchToRendering = (): readonly Uint8Array[] => {
    const turned = waiting.switchToRendering();
    render = turned.render;
    waiting = new WaitingFrames(given);
    return turned.bytes;
  };
  const renderAll = (events: readonly StreamEvent[]): readonly Uint8Array[] => render?.(events) ?? [];
  return {
    // Chunks that belong to one frame are joined and handled together.
    split: (chunk) => split(Buffer.concat(gate.push(chunk))),
    left() {
      const left = gate.rest();
      gate = openGate();
      return left.length === 0 ? [] : [Buffer.concat(left)];
    },
    write(frame, events) {
      const withIds = fillIds(events);
      const before = render === undefined && rounds.isLaterRound ? switchToRendering() : [];
      if (render !== undefined) return [...before, ...renderAll(rounds.push(withIds))];
      waiting.beforeAny(withIds);
      waiting.add(frame, rounds.push(withIds));
      if (rounds.isAltered) return switchToRendering();
      // After an error, the gateway drops all withheld calls and sends the error.
      if (!rounds.isUnchanged && withIds.some(({ type }) => type === 'error')) return switchToRendering();
      return rounds.hasShown && rounds.isUnchanged ? waiting.release() : [];
    },
    rest() {
      const rest = rounds.rest();
      if (render === undefined && rounds.isUnchanged) return waiting.release();
      const before = render === undefined ? switchToRendering() : [];
      return [...before, ...renderAll(rest)];
    },
  };
}

/**
 * A record of the events that a recovery round has produced so far. The record contains the number of events and
 * the last event, because later deltas may be merged into the last event. Copying all events for each withheld tool
 * call would take quadratic time in total.
 */
interface SentEvents {
  readonly events: readonly StreamEvent[];
  readonly count: number;
  readonly last: StreamEvent | undefined;
}

/** The first byte of a comment in a stream of server-sent events. */
const colon = 0x3a;

/** Buffered frames with their events for the client. */
class WaitingFrames {
  readonly #given: PassGiven;
  #frames: Uint8Array[] = [];
  #events: StreamEvent[] = [];
  /** The events that were sent before the first undecided tool call. */
  #sent: SentEvents | undefined;
  /** The last sent frame that contained an event. Frames with only a comment are not stored. */
  #lastFrame: Uint8Array | undefined;

  constructor(given: PassGiven) {
    this.#given = given;
  }

  beforeAny(events: readonly StreamEvent[]): void {
    const { rounds } = this.#given;
    if (this.#sent !== undefined || !rounds.withholdsAny(events)) return;
    const sent = rounds.hasShown ? rounds.events : [];
    this.#sent = { events: sent, count: sent.length, last: sent.at(-1) };
  }

  add(frame: Uint8Array, events: readonly StreamEvent[]): void {
    this.#frames.push(frame);
    this.#events.push(...events);
  }

  release(): readonly Uint8Array[] {
    this.#events = [];
    this.#sent = undefined;
    this.#lastFrame = this.#frames.findLast(([first]) => first !== colon) ?? this.#lastFrame;
    return this.#frames.splice(0);
  }

  switchToRendering(): { render: Render; bytes: readonly Uint8Array[] } {
    const render = this.#given.openRenderer(this.#lastFrame);
    // Replays the events that the client has already received, and discards their output.
    const { events, count, last } = this.#sent ?? { events: [], count: 0, last: undefined };
    if (last !== undefined) render([...events.slice(0, count - 1), last]);
    return { render, bytes: render(this.#events) };
  }
}
