/** After a failure the store is asked again no sooner. */
const retryMs = 1_000;

/** Whether the store of budgets answers, as far as this process knows: while it does not, one question a second tries. */
export class StoreHealth {
  readonly #now: () => number;
  readonly #onChange: (error?: unknown) => void;
  #isAway = false;
  #retryAt = 0;

  /** @param onChange called with an error when the store went away, and without one when it is back. */
  constructor(now: () => number, onChange: (error?: unknown) => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Whether a question may be asked now; while the store is away, asking takes the one try of this second. */
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
