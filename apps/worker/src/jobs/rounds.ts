/** Runs a periodic task, with a pause after each run. A pause does not keep the process running. */
export class Rounds {
  /** Runs the task and returns the pause after the run, in milliseconds. The task function must not throw. */
  readonly #work: () => Promise<number>;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /** Whether the current run of the task should stop early. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Starts the periodic task. The first run of the task begins after a pause. */
  start(restMs: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#work().then((ms) => this.start(ms));
    }, restMs);
    this.#timer.unref();
  }

  /** Resolves when the current run of the task has finished. No further run starts after this call. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#round;
  }
}
