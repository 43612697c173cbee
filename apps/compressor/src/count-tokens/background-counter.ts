import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TokenCounts } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';
import type { CountStore } from './count-store.port.ts';
import { countTokens } from '../text/count-tokens.ts';
import { cutExactly } from '../text/cut-text.ts';

/**
 * Counting a piece of this size takes about a third of a millisecond. Pending requests run between pieces.
 */
const pieceUnits = 2_000;
/** Maximum number of UTF-16 units in the queue. Blocks above this limit are not counted. */
const waitingUnitsMax = 8 * 1024 * 1024;
/** One account may use a quarter of the queue. */
const waitingUnitsPerAccountMax = waitingUnitsMax / 4;

/** A block before and after compression, with its estimated token counts. */
export interface ChangedBlock {
  /** Undefined in requests of gateways from the previous release. The counts are then not stored. */
  readonly accountId: string | undefined;
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly estimated: TokenCounts;
}

/** Counts tokens exactly in the background, one block at a time and in small pieces. */
export class BackgroundCounter {
  readonly #store: CountStore;
  readonly #observe: (estimated: TokenCounts, exact: TokenCounts) => void;
  readonly #log: Logger;
  readonly #waiting: ChangedBlock[] = [];
  readonly #waitingUnitsOf = new Map<string, number>();
  #waitingUnits = 0;
  #isCounting = false;

  constructor(store: CountStore, observe: (estimated: TokenCounts, exact: TokenCounts) => void, log: Logger) {
    this.#store = store;
    this.#observe = observe;
    this.#log = log;
  }

  /** Returns immediately and never throws. */
  add(block: ChangedBlock): void {
    const units = unitsOf(block);
    const ofAccount = this.#waitingUnitsOf.get(block.accountId ?? '') ?? 0;
    if (this.#waitingUnits + units > waitingUnitsMax || ofAccount + units > waitingUnitsPerAccountMax) return;
    this.#waiting.push(block);
    this.#waitingUnits += units;
    this.#waitingUnitsOf.set(block.accountId ?? '', ofAccount + units);
    if (!this.#isCounting) void this.#count();
  }

  async #count(): Promise<void> {
    this.#isCounting = true;
    for (let block = this.#waiting.shift(); block !== undefined; block = this.#waiting.shift()) {
      this.#release(block);
      try {
        const exact = { before: await countIdly(block.before), after: await countIdly(block.after) };
        this.#observe(block.estimated, exact);
        if (block.accountId !== undefined) this.#store.keep(block.accountId, block.id, exact);
      } catch (error) {
        this.#log.warn({ err: error }, 'background counter: counting the tokens of a block failed');
      }
    }
    this.#isCounting = false;
  }

  #release(block: ChangedBlock): void {
    const units = unitsOf(block);
    this.#waitingUnits -= units;
    const left = (this.#waitingUnitsOf.get(block.accountId ?? '') ?? 0) - units;
    if (left > 0) this.#waitingUnitsOf.set(block.accountId ?? '', left);
    else this.#waitingUnitsOf.delete(block.accountId ?? '');
  }
}

function unitsOf({ before, after }: ChangedBlock): number {
  return before.length + after.length;
}

/** Counts the tokens in a text, and lets other work run after each piece. */
export async function countIdly(text: string): Promise<number> {
  let tokens = 0;
  for (const piece of cutExactly(text, pieceUnits)) {
    await nextTurn();
    tokens += countTokens(piece);
  }
  return tokens;
}
