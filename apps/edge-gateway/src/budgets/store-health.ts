/** Minimum time between a failure and the next try. */
const retryMs = 1_000;

/**
 * Whether the budget store is available, as far as this process knows. While it is not, one try per second is
 * allowed.
 */
export class StoreHealth {
  readonly #now: () => number;
  readonly #onChange: (error?: unknown) => void;
  #isAway = false;
  #retryAt = 0;

  /** @param onChange called with an error when the store becomes unavailable, and without one when it returns. */
  constructor(now: () => number, onChange: (error?: unknown) => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Whether a sync may be tried now. While the store is unavailable, this takes the one try of the second. */
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
