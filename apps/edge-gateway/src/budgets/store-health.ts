/** Minimum time between a failed sync with the budget store and the next attempt, in milliseconds. */
const retryMs = 1_000;

/**
 * Tracks whether this process can reach the budget store. While the store is unavailable, the process may try
 * one sync per second.
 */
export class StoreHealth {
  readonly #now: () => number;
  readonly #onChange: (error?: unknown) => void;
  #isAway = false;
  #retryAt = 0;

  /**
   * @param onChange a callback that receives an error when the store becomes unavailable, and no error when
   * the outage ends
   */
  constructor(now: () => number, onChange: (error?: unknown) => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Whether this process may currently sync with the store. While the budget store is unavailable, the method
   * returns true at most once per second.
   */
  mayAsk(): boolean {
    if (!this.#isAway) return true;
    if (this.#now() < this.#retryAt) return false;
    this.#retryAt = this.#now() + retryMs;
    return true;
  }

  noteAnswer(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#onChange();
  }

  noteFailure(error: unknown): void {
    this.#retryAt = this.#now() + retryMs;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#onChange(error);
  }
}
