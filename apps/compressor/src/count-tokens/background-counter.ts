import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TokenCounts } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';
import type { CountStore } from './count-store.port.ts';
import { countTokens } from '../text/count-tokens.ts';
import { cutExactly } from '../text/cut-text.ts';

/** About a third of a millisecond of work, after which whoever waits comes first. */
const pieceUnits = 2_000;
/** Waiting texts; what comes on top is not counted. */
const waitingUnitsMax = 8 * 1024 * 1024;

/** A block as it came and as it was sent, with what its tokens were estimated at. */
export interface ChangedBlock {
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly estimated: TokenCounts;
}

/** Counts tokens exactly while nobody waits for it, block by block, each a bit at a time. */
export class BackgroundCounter {
  readonly #store: CountStore;
  readonly #observe: (estimated: TokenCounts, exact: TokenCounts) => void;
  readonly #log: Logger;
  readonly #waiting: ChangedBlock[] = [];
  #waitingUnits = 0;
  #isCounting = false;

  constructor(store: CountStore, observe: (estimated: TokenCounts, exact: TokenCounts) => void, log: Logger) {
    this.#store = store;
    this.#observe = observe;
    this.#log = log;
  }

  /** Neither waits nor fails. */
  add(block: ChangedBlock): void {
    const units = unitsOf(block);
    if (this.#waitingUnits + units > waitingUnitsMax) return;
    this.#waiting.push(block);
    this.#waitingUnits += units;
    if (!this.#isCounting) void this.#count();
  }

  async #count(): Promise<void> {
    this.#isCounting = true;
    for (let block = this.#waiting.shift(); block !== undefined; block = this.#waiting.shift()) {
      this.#waitingUnits -= unitsOf(block);
      try {
        const exact = { before: await countIdly(block.before), after: await countIdly(block.after) };
        this.#observe(block.estimated, exact);
        this.#store.keep(block.id, exact);
      } catch (error) {
        this.#log.warn({ err: error }, 'tokens of a block were not counted');
      }
    }
    this.#isCounting = false;
  }
}

function unitsOf({ before, after }: ChangedBlock): number {
  return before.length + after.length;
}

/** Tokens of a text, given up the thread after each piece. */
export async function countIdly(text: string): Promise<number> {
  let tokens = 0;
  for (const piece of cutExactly(text, pieceUnits)) {
    await nextTurn();
    tokens += countTokens(piece);
  }
  return tokens;
}
