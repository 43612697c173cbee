/**
 * Repeats a task with pauses, one round at a time. A pending pause does not prevent the process from exiting.
 */
export class Rounds {
  /** Runs a round and returns the pause after it, in milliseconds. The function must not throw. */
  readonly #work: () => Promise<number>;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /** Whether the current round should stop early. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Starts the first round after a pause. */
  start(restMs: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#work().then((ms) => this.start(ms));
    }, restMs);
    this.#timer.unref();
  }

  /** Resolves when the current round has finished. No further round starts. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#round;
  }
}
