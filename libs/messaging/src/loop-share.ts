import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';
import { TimeShare, type TimeShareOptions } from './time-share.ts';

/** Synchronous work that yields wherever other work may run. It must tolerate that shared state changes there. */
export type Pieces<Result> = Generator<undefined, Result, undefined>;

export interface LoopShareOptions extends TimeShareOptions {
  /** How long work may run before other work gets a turn, in milliseconds. A single step is never cut. */
  readonly pieceMs: number;
  /** How many jobs each account may run and keep waiting. */
  readonly jobs: FairQueueOptions;
}

/** Runs work until the time is over or the work is done. Returns whether it is done. */
type Advance = (endAt: number) => boolean;

/**
 * Shares an event loop between accounts. Short work runs at once. Work that takes longer than a piece continues in
 * later turns of the event loop, one piece per turn, and the accounts take turns. Requests that arrive in the meantime
 * run between two pieces. While several accounts are active, the long work of each gets a fixed share of the time.
 */
export class LoopShare {
  readonly #pieceMs: number;
  readonly #jobs: FairQueue;
  readonly #time: TimeShare;
  readonly #now: () => number;
  /** Unfinished work by account, in the order of their turns. */
  readonly #works = new Map<string, Advance[]>();
  /** The account that had a piece in this turn of the event loop. */
  #hadPiece: string | undefined;
  #isRunning = false;

  constructor(options: LoopShareOptions) {
    this.#pieceMs = options.pieceMs;
    this.#jobs = new FairQueue(options.jobs);
    this.#time = new TimeShare(options);
    this.#now = options.now ?? performance.now.bind(performance);
  }

  /** Jobs that wait until others of their account have ended. */
  get waiting(): number {
    return this.#jobs.waiting;
  }

  /** Notes a request of the account, whatever its size. */
  note(accountId: string): void {
    this.#time.note(accountId);
  }

  /**
   * Runs a job that consists of several works as one of the account's jobs.
   * @throws GatewayError as for `FairQueue.run`
   */
  admit<Result>(accountId: string, job: () => Promise<Result>): Promise<Result> {
    return this.#jobs.run(accountId, job);
  }

  /** Runs the work: at once if it is short, otherwise piece by piece. Throws or rejects with the work's own error. */
  run<Result>(accountId: string, pieces: Pieces<Result>): Result | Promise<Result> {
    if (this.#hadPiece === accountId) return this.runInTurn(accountId, pieces);
    const step = this.#advance(pieces, this.#now() + this.#pieceMs);
    return step.done === true ? step.value : this.runInTurn(accountId, pieces);
  }

  /** Runs the work piece by piece, and never at once. Rejects with the work's own error. */
  runInTurn<Result>(accountId: string, pieces: Pieces<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const advance = (endAt: number): boolean => {
        try {
          const step = this.#advance(pieces, endAt);
          if (step.done === true) resolve(step.value);
          return step.done === true;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return true;
        }
      };
      const works = this.#works.get(accountId);
      if (works === undefined) this.#works.set(accountId, [advance]);
      else works.push(advance);
      if (!this.#isRunning) void this.#runAll();
    });
  }

  /** Runs at least one step. */
  #advance<Result>(pieces: Pieces<Result>, endAt: number): IteratorResult<undefined, Result> {
    let step = pieces.next();
    while (step.done !== true && this.#now() < endAt) step = pieces.next();
    return step;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let hasRun = true; hasRun || this.#works.size > 0;) {
      await nextTurn();
      this.#hadPiece = undefined;
      hasRun = this.#runPiece();
      if (!hasRun && this.#works.size > 0) await wait(this.#pieceMs);
    }
    this.#isRunning = false;
  }

  /** Runs a piece of the first account that may run. Returns false if each account has used its share. */
  #runPiece(): boolean {
    for (const [accountId, works] of this.#works) {
      if (!this.#time.mayRun(accountId)) continue;
      this.#hadPiece = accountId;
      const startedAt = this.#now();
      if (works[0]?.(startedAt + this.#pieceMs) === true) works.shift();
      this.#time.use(accountId, this.#now() - startedAt);
      // The account goes to the end of the round.
      this.#works.delete(accountId);
      if (works.length > 0) this.#works.set(accountId, works);
      return true;
    }
    return false;
  }
}
