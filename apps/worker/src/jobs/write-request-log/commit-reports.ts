/** Reports wait this long for others to go with. */
const reportDelayMs = 10;
const batchIdsMax = 1000;

/** Tells the gateways which batches are in Postgres, several in one message. */
export class CommitReports {
  readonly #broadcast: (batchIds: string[]) => void;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(broadcast: (batchIds: string[]) => void) {
    this.#broadcast = broadcast;
  }

  add(batchId: string): void {
    this.#waiting.push(batchId);
    if (this.#waiting.length >= batchIdsMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), reportDelayMs);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#waiting.length > 0) this.#broadcast(this.#waiting);
    this.#waiting = [];
  }
}
