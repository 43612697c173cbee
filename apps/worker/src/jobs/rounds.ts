/** A piece of work that is done again and again, never twice at a time. Waiting for the next round keeps no process alive. */
export class Rounds {
  /** Does a round, and says how long to rest after it, in milliseconds. Does not throw. */
  readonly #work: () => Promise<number>;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /** Whether a round under way should end early. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Rests, then begins. */
  start(restMs: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#work().then((ms) => this.start(ms));
    }, restMs);
    this.#timer.unref();
  }

  /** Resolves when the round under way has ended; there is none after it. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#round;
  }
}
