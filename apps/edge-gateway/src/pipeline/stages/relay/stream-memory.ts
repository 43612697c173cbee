import type { StreamEvent } from '@gateway/interchange';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';

/** Unsent bytes of a stream up to this length are not counted: short frames hold nothing for long. */
const uncountedBytes = 64 * 1024;
/** An unfinished frame is held twice: by the writer and by the parser. */
const frameCopies = 2;

/**
 * Counts what one round of a stream holds in memory, in the account's share: an unfinished frame, and with
 * recovery also the text of all events, because the next round's request contains it. All methods throw
 * `overloaded` if the account may not hold more.
 */
export class StreamMemory {
  readonly #memory: NonNullable<Exchange['turn']>['memory'] | undefined;
  readonly #keepsEvents: boolean;
  #unsentBytes = 0;
  #countedBytes = uncountedBytes;

  constructor({
    exchange,
    lane,
  }: {
    readonly exchange: Pick<Exchange, 'turn'>;
    readonly lane: { readonly rounds: RecoveryRounds | null };
  }) {
    this.#memory = exchange.turn?.memory;
    this.#keepsEvents = lane.rounds !== null;
  }

  /** Must be called with every chunk of the provider. A chunk after which nothing was sent is held. */
  noteChunk({ length }: Uint8Array, hasSent: boolean): void {
    this.#unsentBytes = hasSent ? 0 : this.#unsentBytes + length;
    if (this.#unsentBytes <= this.#countedBytes) return;
    this.#memory?.add(frameCopies * (this.#unsentBytes - this.#countedBytes));
    this.#countedBytes = this.#unsentBytes;
  }

  /** @param piece the bytes that the events were parsed from; no event is longer */
  noteEvents(piece: Uint8Array, events: readonly StreamEvent[]): void {
    if (!this.#keepsEvents) return;
    for (const event of events) this.#memory?.add(lengthOf(event) ?? piece.length);
  }
}

/** The length of a delta. Deltas are joined when they are kept, so only their text counts. */
function lengthOf(event: StreamEvent): number | undefined {
  if ('text' in event) return event.text.length;
  return event.type === 'tool-call-delta' ? event.argumentsText.length : undefined;
}
