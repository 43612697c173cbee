import { GatewayError } from '@gateway/errors';
import { ActiveAccounts } from './time-share.ts';

export interface FairQueueOptions {
  /** Maximum number of running calls across all accounts. */
  readonly slots: number;
  /** Maximum number of running calls per account. */
  readonly slotsPerAccount: number;
  /**
   * While several accounts are active, an account with a running call starts its next call only this long after
   * the start of its newest call, in milliseconds. The short calls of an account therefore run one at a time. A
   * long call does not delay the account's other calls for longer. Default: 0.
   */
  readonly spacingMs?: number;
  /** Maximum number of waiting calls per account. */
  readonly waitingPerAccountMax: number;
  /** Maximum number of waiting calls across all accounts. */
  readonly waitingMax: number;
  /** Maximum time for which a call may wait for a slot, in milliseconds. */
  readonly waitMsMax: number;
  /** A function that is called with the reason whenever a call does not get a slot. */
  readonly onRefused?: (reason: RefusedReason) => void;
}

/**
 * `account_full` means that the account has too many waiting calls. `full` means that all accounts together
 * have too many waiting calls. `late` means that no slot was free in time.
 */
export type RefusedReason = 'account_full' | 'full' | 'late';

interface Waiting {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

interface Lane {
  running: number;
  /** The time at which the newest call started. */
  startedAt: number;
  /** The timer that starts a waiting call after `spacingMs`. */
  spacing: NodeJS.Timeout | undefined;
  readonly waiting: Set<Waiting>;
}

const retryAfterMs = 1_000;

/**
 * Shares a resource among accounts. Each account has a separate bounded queue, and the accounts take turns
 * when slots become free. An account with many calls delays mainly its own calls. Calls from other accounts
 * wait only for the calls that are already running.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Accounts that have waiting calls and have not reached their maximum of slots, in the order of their turns. */
  readonly #ready = new Map<string, Lane>();
  readonly #active = new ActiveAccounts();
  #running = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Number of calls that wait for a slot. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Number of calls that occupy a slot. */
  get running(): number {
    return this.#running;
  }

  /**
   * Runs the work in one of the account's slots.
   * @throws GatewayError `rate_limit_exceeded` if the account has too many waiting calls.
   * @throws GatewayError `service_unavailable` if the whole queue is full or no slot was free in time.
   */
  async run<T>(accountId: string, work: () => Promise<T> | T): Promise<T> {
    const lane = this.#lanes.get(accountId) ?? this.#openLane(accountId);
    this.#active.note(accountId);
    if (this.#running < this.#options.slots && this.#mayRunAnother(lane)) {
      this.#begin(lane);
    } else {
      await this.#wait(accountId, lane);
    }
    try {
      return await work();
    } finally {
      this.#running -= 1;
      lane.running -= 1;
      this.#noteReady(accountId, lane);
      this.#startNext();
      this.#closeIfIdle(accountId, lane);
    }
  }

  #openLane(accountId: string): Lane {
    const lane: Lane = { running: 0, startedAt: 0, spacing: undefined, waiting: new Set() };
    this.#lanes.set(accountId, lane);
    return lane;
  }

  #begin(lane: Lane): void {
    this.#running += 1;
    lane.running += 1;
    lane.startedAt = performance.now();
  }

  #closeIfIdle(accountId: string, lane: Lane): void {
    if (lane.running > 0 || lane.waiting.size > 0) return;
    clearTimeout(lane.spacing);
    this.#lanes.delete(accountId);
  }

  async #wait(accountId: string, lane: Lane): Promise<void> {
    const { waitingPerAccountMax, waitingMax, waitMsMax } = this.#options;
    if (lane.waiting.size >= waitingPerAccountMax) throw this.#refuse('account_full');
    if (this.#waiting >= waitingMax) {
      this.#closeIfIdle(accountId, lane);
      throw this.#refuse('full');
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        start: resolve,
        timer: setTimeout(() => {
          this.#leave(accountId, lane, waiting);
          reject(this.#refuse('late'));
        }, waitMsMax),
      };
      lane.waiting.add(waiting);
      this.#waiting += 1;
      this.#noteReady(accountId, lane);
    });
  }

  #leave(accountId: string, lane: Lane, waiting: Waiting): void {
    lane.waiting.delete(waiting);
    this.#waiting -= 1;
    if (lane.waiting.size > 0) return;
    this.#ready.delete(accountId);
    this.#closeIfIdle(accountId, lane);
  }

  #noteReady(accountId: string, lane: Lane): void {
    if (lane.waiting.size === 0 || lane.running >= this.#options.slotsPerAccount) return;
    if (this.#mayRunAnother(lane)) this.#ready.set(accountId, lane);
    else lane.spacing ??= this.#startLater(accountId, lane);
  }

  #startLater(accountId: string, lane: Lane): NodeJS.Timeout {
    return setTimeout(() => {
      lane.spacing = undefined;
      this.#noteReady(accountId, lane);
      this.#startNext();
    }, this.#options.spacingMs);
  }

  #mayRunAnother({ running, startedAt }: Lane): boolean {
    const { slotsPerAccount, spacingMs = 0 } = this.#options;
    if (running === 0 || spacingMs === 0) return running < slotsPerAccount;
    const isSpaced = performance.now() - startedAt >= spacingMs || !this.#active.areSeveral();
    return isSpaced && running < slotsPerAccount;
  }

  #startNext(): void {
    while (this.#running < this.#options.slots) {
      const next = this.#ready.entries().next().value;
      if (next === undefined) return;
      const [accountId, lane] = next;
      // The account's next turn comes after the turns of all other accounts.
      this.#ready.delete(accountId);
      const [first] = lane.waiting;
      if (first === undefined) continue;
      clearTimeout(first.timer);
      lane.waiting.delete(first);
      this.#waiting -= 1;
      this.#begin(lane);
      this.#noteReady(accountId, lane);
      first.start();
    }
  }

  #refuse(reason: RefusedReason): GatewayError {
    this.#options.onRefused?.(reason);
    if (reason === 'account_full') {
      return new GatewayError('rate_limit_exceeded', {
        message: 'The account has too many calls in progress. Wait until some calls have ended.',
        retryAfterMs,
      });
    }
    const detail = reason === 'full' ? 'too many calls wait' : 'no slot was free in time';
    return new GatewayError('service_unavailable', { detail, retryAfterMs });
  }
}
