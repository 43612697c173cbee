import type { StreamEvent } from '@gateway/interchange';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';

/** Number of unsent bytes per stream that are not counted, because short frames use memory only briefly. */
const uncountedBytes = 64 * 1024;
/** Number of copies of an incomplete frame in memory. The writer and the parser each buffer the frame. */
const frameCopies = 2;

/**
 * Adds the memory used by one provider stream to the memory that the account uses. The counted memory includes an
 * incomplete frame. If the request has recovery, the count also includes the text of all events, which the next
 * round's request needs. All methods throw `overloaded` if the account may not use more memory.
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

  /**
   * Callers must pass every chunk that the provider sends. A chunk stays in memory until the next write to
   * the client.
   */
  noteChunk({ length }: Uint8Array, hasSent: boolean): void {
    this.#unsentBytes = hasSent ? 0 : this.#unsentBytes + length;
    if (this.#unsentBytes <= this.#countedBytes) return;
    this.#memory?.add(frameCopies * (this.#unsentBytes - this.#countedBytes));
    this.#countedBytes = this.#unsentBytes;
  }

  /**
   * Counts the buffered events that the next recovery round needs.
   * @param piece the bytes from which the events were parsed. No event is longer than `piece`.
   */
  noteEvents(piece: Uint8Array, events: readonly StreamEvent[]): void {
    if (!this.#keepsEvents) return;
    for (const event of events) this.#memory?.add(lengthOf(event) ?? piece.length);
  }
}

/** Returns the length of the text in a delta. Stored deltas are joined, so only the text of a delta is counted. */
function lengthOf(event: StreamEvent): number | undefined {
  if ('text' in event) return event.text.length;
  return event.type === 'tool-call-delta' ? event.argumentsText.length : undefined;
}
