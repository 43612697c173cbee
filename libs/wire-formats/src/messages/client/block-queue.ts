import type { StreamEvent } from '@gateway/interchange';
import { addWaitingCharacters } from '../../common/waiting-characters.ts';

type BlockEvent = Extract<StreamEvent, { readonly block: number }>;

/** The block that is being told. */
interface OpenBlock {
  readonly block: number;
  /** A call's arguments so far. */
  readonly pieces: string[] | undefined;
  /** Another block started before this one was whole: what is not of it waits for its end. */
  isShared: boolean;
}

/**
 * Puts blocks one after the other. Elsewhere calls may run side by side; here one ends before the next starts, and a
 * piece that came after the end would be lost. A call whose arguments are whole JSON has ended, whether or not its end
 * was told (most providers tell it with the end of the answer), so what follows it need not wait.
 */
export class BlockQueue {
  #open: OpenBlock | undefined;
  readonly #told = new Set<number>();
  /** By block, in the order of their starts. */
  readonly #waiting = new Map<number, BlockEvent[]>();

  /** Since nothing waited. */
  #waitingCharacters = 0;

  /**
   * The events that can be told now: none, this one, or those that waited for it too.
   *
   * @throws GatewayError `upstream_invalid` for more that waits than is held.
   */
  push(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'finish' && event.choice === 0) return [...this.#drain(true), event];
    return 'block' in event && event.choice === 0 ? this.#pushBlock(event) : [event];
  }

  #pushBlock(event: BlockEvent): readonly StreamEvent[] {
    const { block } = event;
    const waiting = this.#waiting.get(block);
    if (waiting !== undefined) return this.#wait(event, waiting);
    if (this.#told.has(block)) return [];
    if (this.#open !== undefined && this.#open.block !== block && !isWhole(this.#open)) {
      this.#open.isShared = true;
      return this.#wait(event, []);
    }
    this.#note(event);
    return this.#open === undefined ? [event, ...this.#drain(false)] : [event];
  }

  #wait(event: BlockEvent, waiting: BlockEvent[]): readonly StreamEvent[] {
    this.#waitingCharacters = addWaitingCharacters(this.#waitingCharacters, event);
    waiting.push(event);
    this.#waiting.set(event.block, waiting);
    return [];
  }

  #note(event: BlockEvent): void {
    const { type, block } = event;
    if (type === 'part' || type.endsWith('-end')) {
      this.#told.add(block);
      this.#open = undefined;
    } else if (this.#open?.block !== block) {
      if (this.#open !== undefined) this.#told.add(this.#open.block);
      this.#open = { block, pieces: type === 'tool-call-start' ? [] : undefined, isShared: false };
    } else if (type === 'tool-call-delta') this.#open.pieces?.push(event.argumentsText);
  }

  /** What waited, until a block that has not ended; when the answer is over, all of it. */
  #drain(isOver: boolean): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const [block, waiting] of this.#waiting) {
      if (this.#open !== undefined && !isOver) break;
      this.#waiting.delete(block);
      for (const event of waiting) {
        this.#note(event);
        events.push(event);
      }
    }
    if (this.#waiting.size === 0) this.#waitingCharacters = 0;
    return events;
  }
}

function isWhole({ pieces, isShared }: OpenBlock): boolean {
  if (pieces === undefined || isShared) return false;
  try {
    JSON.parse(pieces.join(''));
    return true;
  } catch {
    return false;
  }
}
