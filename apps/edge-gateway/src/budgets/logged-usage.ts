import type { SpentTokens } from './budget-store.port.ts';

/** For each API key id of an account, the usage according to the request log. */
export type LoggedUsage = ReadonlyMap<string, SpentTokens>;

/** Maximum number of concurrent reads. Each read returns the usage of one account. */
const loadsMax = 4;
/** Delay before a failed read is retried, in milliseconds. The pause doubles with each consecutive failure. */
const pauseMs = 2_000;
const pauseMaxMs = 60_000;
/** How long all API keys of an account share the result of a read, in milliseconds. */
const sharedMs = 1_000;

/**
 * Reads usage from the request log after the budget store has lost its data. All API keys of an account
 * share one read. A failed read is retried until it succeeds.
 */
export class UsageLoads {
  readonly #read: (accountId: string) => Promise<LoggedUsage>;
  readonly #loads = new Map<string, Promise<LoggedUsage>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #isClosed = false;

  /** @param read a function that reads the usage of all API keys of an account once */
  constructor(read: (accountId: string) => Promise<LoggedUsage>) {
    this.#read = read;
  }

  /** The promise resolves as soon as the request log has replied. The promise never rejects. */
  load(accountId: string): Promise<LoggedUsage> {
    const current = this.#loads.get(accountId);
    if (current !== undefined) return current;
    const load = this.#readUntilAnswered(accountId);
    this.#loads.set(accountId, load);
    void load.then(() => setTimeout(() => this.#loads.delete(accountId), sharedMs).unref());
    return load;
  }

  /** Stops retrying failed reads. */
  close(): void {
    this.#isClosed = true;
  }

  async #readUntilAnswered(accountId: string): Promise<LoggedUsage> {
    for (let waitMs = pauseMs; !this.#isClosed; waitMs = Math.min(2 * waitMs, pauseMaxMs)) {
      try {
        return await this.#readInTurn(accountId);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
      }
    }
    return new Map();
  }

  async #readInTurn(accountId: string): Promise<LoggedUsage> {
    if (this.#running >= loadsMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await this.#read(accountId);
    } finally {
      // Starts the next waiting read.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
