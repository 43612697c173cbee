import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { TimeShare, type TimeShareOptions } from '@gateway/messaging';
import type { ResilienceMetrics } from '../metrics/edge-metrics.ts';
import { AccountQueues, type Waiter } from './account-queues.ts';
import { HeldBytes, type ByteLedger } from './byte-ledger.ts';
import { FairShare } from './fair-share.ts';

export interface AdmissionOptions {
  /** Maximum number of requests served concurrently. */
  readonly inFlightMax: number;
  /**
   * The part of `inFlightMax` that one account may use while no other account has requests in flight, from 0
   * to 1.
   */
  readonly accountShare: number;
  /**
   * Maximum number of requests of one account that are served concurrently. If absent, only the account share
   * limits the number of requests.
   */
  readonly accountInFlightMax?: number;
  /** Maximum number of queued requests. One account may use at most half of the queue. */
  readonly queuedMax: number;
  /** Maximum time that a request may wait in the queue, in milliseconds. */
  readonly waitMsMax: number;
  /** Counts the bytes that requests hold in memory. The option `disk` counts the bytes of uploads on disk. */
  readonly memory: ByteLedger;
  readonly disk: ByteLedger;
  readonly metrics: Pick<ResilienceMetrics, 'shed' | 'queueSeconds' | 'watchQueue'>;
  readonly now?: () => number;
}

/**
 * The permission of a request to run, and the bytes that the request keeps in memory or on disk. The permission to
 * run can be released only once.
 */
export interface Turn {
  readonly accountId: string;
  readonly beganAt: number;
  /** The bytes that the request keeps in memory. */
  readonly memory: HeldBytes;
  /** The bytes of an upload that is on disk until its model is known. */
  readonly disk: HeldBytes;
  /**
   * Lets other requests run before the next step of a large request. Resolves when the account may use the
   * event loop again.
   */
  pause(): Promise<void>;
}

/** A request that is waiting for permission to run. */
export interface TurnTaker {
  turn: Turn | null;
  readonly abort: AbortController;
}

/** Weight of the latest request in the moving average of request durations. */
const newestWeight = 1 / 32;
/** Initial value and lower bound of the average request duration, in milliseconds. */
const holdMsMin = 5;
const retryAfterMsMin = 1_000;
const retryAfterMsMax = 30_000;

/**
 * The share of the event loop that the large requests of one account get while other accounts are active. Requests
 * from other accounts wait for only about one step of a large request.
 */
const largeRequests: TimeShareOptions = { contendedShare: 1 / 3, burstMs: 8 };

/** The reason why a request was rejected. The reason is also a metric label. */
type ShedReason = 'queue_full' | 'too_slow' | 'displaced' | 'account_in_flight';

const accountMessage =
  'Your account has as many requests in flight as the gateway allows it now. Wait until some of them end, then retry.';

/**
 * Limits the number of running requests and the number of queued requests, in total and per account. Excess
 * requests are rejected before their bodies are read, so that admitted requests stay fast. A request that
 * would wait too long in the queue is rejected on arrival. A single account never uses every request slot, so
 * the first request of an idle account starts immediately.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #share: FairShare;
  readonly #now: () => number;
  readonly #queues = new AccountQueues();
  readonly #loop = new TimeShare(largeRequests);
  #inFlight = 0;
  #holdMs = holdMsMin;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const { inFlightMax: capacity, accountShare, accountInFlightMax } = options;
    const accountMax = accountInFlightMax === undefined ? {} : { accountMax: accountInFlightMax };
    this.#share = new FairShare({ capacity, accountShare, ...accountMax });
    this.#now = options.now ?? performance.now.bind(performance);
    options.metrics.watchQueue(() => this.#queues.length);
  }

  /**
   * Returns undefined if the request may start now. If the request must wait, the method returns a promise
   * that resolves when the request may start. Throws or rejects with the error `overloaded`, which names the
   * exceeded limit. The promise rejects with an `AbortError` if the client disconnects.
   */
  enter(accountId: string, taker: TurnTaker): Promise<void> | undefined {
    if (this.#mayStart(this.#queues.inFlightOf(accountId))) {
      taker.turn = this.#begin(accountId);
      return undefined;
    }
    this.#requireRoom(accountId);
    return this.#wait(accountId, taker);
  }

  /**
   * Frees the request slot of a request that has ended, and releases the bytes that the request held. Calling
   * this method for a request that never started does nothing.
   */
  leave(taker: Pick<TurnTaker, 'turn'>): void {
    const { turn } = taker;
    if (turn === null) return;
    taker.turn = null;
    this.#inFlight -= 1;
    this.#queues.end(turn.accountId);
    const holdMs = Math.max(holdMsMin, this.#now() - turn.beganAt);
    this.#holdMs += (holdMs - this.#holdMs) * newestWeight;
    turn.memory.release();
    turn.disk.release();
    this.#startWaiting();
  }

  /** A free request slot can raise the limits of several accounts, so several queued requests may start. */
  #startWaiting(): void {
    while (this.#queues.length > 0 && this.#inFlight < this.#share.capacity) {
      const next = this.#queues.shift((inFlight) => this.#mayStart(inFlight));
      if (next === undefined) return;
      next.settle(true);
    }
  }

  #mayStart(ownInFlight: number): boolean {
    return this.#share.refusalOf(ownInFlight, this.#inFlight, 1) === null;
  }

  #begin(accountId: string): Turn {
    this.#inFlight += 1;
    this.#queues.begin(accountId);
    this.#loop.note(accountId);
    const { memory, disk } = this.#options;
    return {
      accountId,
      beganAt: this.#now(),
      memory: new HeldBytes(memory, accountId),
      disk: new HeldBytes(disk, accountId),
      pause: () => this.#loop.turn(accountId),
    };
  }

  #requireRoom(accountId: string): void {
    const { queuedMax, waitMsMax } = this.#options;
    const waiting = this.#queues.waitingOf(accountId);
    if (waiting >= Math.max(1, queuedMax / 2)) throw this.#shed(this.#reasonOr('queue_full'));
    if (this.#expectedWaitMs(waiting + 1) > waitMsMax) throw this.#shed(this.#reasonOr('too_slow'));
    if (this.#queues.length < queuedMax) return;
    // The account with the longest queue loses a queued request, to make room for an account with a shorter queue.
    const displaced = this.#queues.popOfLongest(waiting + 1);
    if (displaced === undefined) throw this.#shed('queue_full');
    displaced.settle(false);
  }

  /** The estimated waiting time is based on the assumption that all accounts start the same number of requests. */
  #expectedWaitMs(place: number): number {
    const share = this.#options.inFlightMax / Math.max(1, this.#queues.accounts);
    return (place / Math.max(1, share)) * this.#holdMs;
  }

  #wait(accountId: string, taker: TurnTaker): Promise<void> {
    const { waitMsMax, metrics } = this.#options;
    const { signal } = taker.abort;
    if (signal.aborted) return Promise.reject(toError(signal.reason));
    const cameAt = this.#now();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        accountId,
        settle: (isTurn) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          if (!isTurn) {
            reject(this.#shed('displaced'));
            return;
          }
          taker.turn = this.#begin(accountId);
          metrics.queueSeconds.observe((this.#now() - cameAt) / 1_000);
          resolve();
        },
      };
      const leave = (): void => {
        clearTimeout(timer);
        this.#queues.remove(waiter);
        reject(toError(signal.reason));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', leave);
        this.#queues.remove(waiter);
        reject(this.#shed(this.#reasonOr('too_slow')));
      }, waitMsMax);
      signal.addEventListener('abort', leave, { once: true });
      this.#queues.add(waiter);
    });
  }

  /**
   * While request slots are free, a request waits or is rejected only if its account has used up its
   * share.
   */
  #reasonOr(reason: ShedReason): ShedReason {
    return this.#inFlight < this.#share.capacity ? 'account_in_flight' : reason;
  }

  #shed(reason: ShedReason): GatewayError {
    this.#options.metrics.shed.inc({ reason });
    // The retry delay is randomized so that rejected clients do not all retry at the same moment.
    const waitMs = Math.min(retryAfterMsMax, Math.max(retryAfterMsMin, this.#holdMs)) * (1 + Math.random());
    return new GatewayError('overloaded', {
      ...(reason === 'account_in_flight' ? { message: accountMessage } : {}),
      detail: `shed: ${reason}`,
      retryAfterMs: Math.round(waitMs),
    });
  }
}

/** Lets other requests run before the next step of a large request. */
export function letOthersRun({ turn }: Pick<TurnTaker, 'turn'>): Promise<void> {
  return turn?.pause() ?? nextTurn();
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('the client left', 'AbortError');
}
