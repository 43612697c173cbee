import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';
import { TimeShare, type TimeShareOptions } from './time-share.ts';

/**
 * Synchronous work that yields at points where other work may run. The work must tolerate changes to shared
 * state at the points where the work yields.
 */
export type Pieces<Result> = Generator<undefined, Result, undefined>;

/** Runs the work to its end without yielding. Use `runAtOnce` only where accounts do not share the event loop. */
export function runAtOnce<Result>(pieces: Pieces<Result>): Result {
  let step = pieces.next();
  while (step.done !== true) step = pieces.next();
  return step.value;
}

/**
 * Runs the work in short pieces. Other work can run between two pieces. Use `runInPieces` only if the work
 * is limited by a mechanism other than `LoopShare`.
 * @param pieceMs maximum duration of a piece of work, in milliseconds. A single step is never interrupted.
 */
export async function runInPieces<Result>(pieces: Pieces<Result>, pieceMs: number): Promise<Result> {
  for (;;) {
    const endAt = performance.now() + pieceMs;
    let step = pieces.next();
    while (step.done !== true && performance.now() < endAt) step = pieces.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

export interface LoopShareOptions extends TimeShareOptions {
  /**
   * Maximum time in milliseconds for which work runs without a pause. A step that has started always runs to
   * its end.
   */
  readonly pieceMs: number;
  /** Limits for the running and waiting jobs of each account. */
  readonly jobs: FairQueueOptions;
}

/** Runs work until the given time is up or the work is done. Returns true if the work is done. */
type Advance = (endAt: number) => boolean;

/**
 * Shares an event loop among accounts. Short work runs immediately. The event loop share splits long work
 * into pieces. In each turn of the event loop, one piece of work runs, and the accounts take turns. Requests
 * that arrive during long work are processed between two pieces of that work. While several accounts are
 * active, each account's long work gets a fixed share of the time.
 */
export class LoopShare {
  readonly #pieceMs: number;
  readonly #jobs: FairQueue;
  readonly #time: TimeShare;
  readonly #now: () => number;
  /** Unfinished work, grouped by account. The next account to run comes first. */
  readonly #works = new Map<string, Advance[]>();
  /** The account that ran a piece of work in the current turn of the event loop. */
  #hadPiece: string | undefined;
  #isRunning = false;

  constructor(options: LoopShareOptions) {
    this.#pieceMs = options.pieceMs;
    this.#jobs = new FairQueue(options.jobs);
    this.#time = new TimeShare(options);
    this.#now = options.now ?? performance.now.bind(performance);
  }

  /** Number of waiting jobs. A job waits until earlier jobs of its account have ended. */
  get waiting(): number {
    return this.#jobs.waiting;
  }

  /** Records that the account sent a request, regardless of its size. */
  note(accountId: string): void {
    this.#time.note(accountId);
  }

  /**
   * Runs a job that consists of several parts. For the account's limits, all parts together count as one job.
   * @throws GatewayError under the conditions that `FairQueue.run` documents
   */
  admit<Result>(accountId: string, job: () => Promise<Result>): Promise<Result> {
    return this.#jobs.run(accountId, job);
  }

  /**
   * Runs short work immediately and long work piece by piece. Throws or rejects with the error that the work throws.
   */
  run<Result>(accountId: string, pieces: Pieces<Result>): Result | Promise<Result> {
    if (this.#hadPiece === accountId) return this.runInTurn(accountId, pieces);
    const step = this.#advance(pieces, this.#now() + this.#pieceMs);
    return step.done === true ? step.value : this.runInTurn(accountId, pieces);
  }

  /**
   * Runs the work in pieces in later turns of the event loop, even if the work is short. Rejects with the
   * error that the work throws.
   */
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

  /** Runs at least one step of the work. */
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

  /**
   * Runs one piece of work for the first account that has not used up its share. Returns false if all accounts
   * have used up their shares.
   */
  #runPiece(): boolean {
    for (const [accountId, works] of this.#works) {
      if (!this.#time.mayRun(accountId)) continue;
      this.#hadPiece = accountId;
      const startedAt = this.#now();
      if (works[0]?.(startedAt + this.#pieceMs) === true) works.shift();
      this.#time.use(accountId, this.#now() - startedAt);
      // The account moves to the end of the order of turns.
      this.#works.delete(accountId);
      if (works.length > 0) this.#works.set(accountId, works);
      return true;
    }
    return false;
  }
}
