import type { StreamEvent } from '@gateway/interchange';
import { addWaitingCharacters } from '../../common/waiting-characters.ts';

type BlockEvent = Extract<StreamEvent, { readonly block: number }>;

/** The block that is being sent. */
interface OpenBlock {
  readonly block: number;
  /**
   * The argument deltas of a tool call that have been received so far. Undefined for blocks that are not tool calls.
   */
  readonly pieces: string[] | undefined;
  /**
   * True if another block started before the current block was complete. The events of the later block are
   * buffered until the current block ends.
   */
  isShared: boolean;
}

/**
 * Reorders events so that each block ends before the next block starts. In other formats, tool calls may
 * overlap. Clients that use the messages format ignore deltas for a block that has ended. The queue ends
 * a tool call as soon as its arguments are complete JSON, so that the call does not delay later blocks.
 * Most providers send a tool call's end event only at the end of the response.
 */
export class BlockQueue {
  #open: OpenBlock | undefined;
  readonly #sent = new Set<number>();
  /** Buffered events, grouped by block. The blocks are in the order of their start events. */
  readonly #waiting = new Map<number, BlockEvent[]>();

  /** Number of characters buffered since the queue was last empty. */
  #waitingCharacters = 0;

  /**
   * Adds an event and returns all events that can now be sent, including buffered events.
   * @throws GatewayError `upstream_invalid` if too many events are buffered.
   */
  push(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'finish' && event.choice === 0) return [...this.#drain(true), event];
    return 'block' in event && event.choice === 0 ? this.#pushBlock(event) : [event];
  }

  #pushBlock(event: BlockEvent): readonly StreamEvent[] {
    const { block } = event;
    const waiting = this.#waiting.get(block);
    if (waiting !== undefined) return this.#wait(event, waiting);
    if (this.#sent.has(block)) return [];
    if (this.#open !== undefined && this.#open.block !== block && !isComplete(this.#open)) {
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
      this.#sent.add(block);
      this.#open = undefined;
    } else if (this.#open?.block !== block) {
      if (this.#open !== undefined) this.#sent.add(this.#open.block);
      this.#open = { block, pieces: type === 'tool-call-start' ? [] : undefined, isShared: false };
    } else if (type === 'tool-call-delta') this.#open.pieces?.push(event.argumentsText);
  }

  /**
   * Releases the buffered blocks, up to and including the first block that has not ended. At the end of the
   * response, all blocks are released.
   */
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

function isComplete({ pieces, isShared }: OpenBlock): boolean {
  if (pieces === undefined || isShared) return false;
  try {
    JSON.parse(pieces.join(''));
    return true;
  } catch {
    return false;
  }
}
