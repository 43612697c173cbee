import type { TokenCounts } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';
import type { CountStore } from './redis-count-store.adapter.ts';
import type { CountingThread } from './counting-thread.adapter.ts';

/**
 * Maximum number of UTF-16 units in the counting queue. If a block does not fit into the counting queue, its
 * tokens are not counted.
 */
const waitingUnitsMax = 8 * 1024 * 1024;
/** One account may fill at most a quarter of the counting queue. */
const waitingUnitsPerAccountMax = waitingUnitsMax / 4;

/** A block before and after compression, with its estimated token counts. */
export interface ChangedBlock {
  /**
   * The account to which the block belongs. Undefined if the request comes from a gateway of the previous
   * release. Token counts without an account are not stored.
   */
  readonly accountId: string | undefined;
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly estimated: TokenCounts;
}

interface BackgroundCounterOptions {
  readonly thread: Pick<CountingThread, 'count'>;
  readonly store: CountStore;
  /** Callback that receives the estimated and the exact token counts of each counted block. */
  readonly observe: (estimated: TokenCounts, exact: TokenCounts) => void;
  readonly log: Logger;
}

/**
 * Counts the tokens of changed blocks in the background. Only one block of each account is counted at a time.
 */
export class BackgroundCounter {
  readonly #thread: Pick<CountingThread, 'count'>;
  readonly #store: CountStore;
  readonly #observe: BackgroundCounterOptions['observe'];
  readonly #log: Logger;
  /** For each account with a block in progress, the account's waiting blocks. */
  readonly #waiting = new Map<string, ChangedBlock[]>();
  readonly #waitingUnitsOf = new Map<string, number>();
  #waitingUnits = 0;

  constructor({ thread, store, observe, log }: BackgroundCounterOptions) {
    this.#thread = thread;
    this.#store = store;
    this.#observe = observe;
    this.#log = log;
  }

  /** Adds a block to the counting queue. Returns immediately and never throws. */
  add(block: ChangedBlock): void {
    const units = unitsOf(block);
    const { accountId = '' } = block;
    const ofAccount = this.#waitingUnitsOf.get(accountId) ?? 0;
    if (this.#waitingUnits + units > waitingUnitsMax || ofAccount + units > waitingUnitsPerAccountMax) return;
    this.#waitingUnits += units;
    this.#waitingUnitsOf.set(accountId, ofAccount + units);
    const waiting = this.#waiting.get(accountId);
    if (waiting !== undefined) {
      waiting.push(block);
      return;
    }
    const blocks = [block];
    this.#waiting.set(accountId, blocks);
    void this.#countAll(accountId, blocks);
  }

  async #countAll(accountId: string, blocks: ChangedBlock[]): Promise<void> {
    for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
      this.#release(block);
      try {
        const [before = 0, after = 0] = await this.#thread.count(accountId, [block.before, block.after]);
        const exact = { before, after };
        this.#observe(block.estimated, exact);
        if (block.accountId !== undefined) this.#store.keep(block.accountId, block.id, exact);
      } catch (error) {
        this.#log.warn({ err: error }, 'background counter: counting the tokens of a block failed');
      }
    }
    this.#waiting.delete(accountId);
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
