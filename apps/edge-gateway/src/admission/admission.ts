import { GatewayError } from '@gateway/errors';
import type { ResilienceMetrics } from '../metrics/resilience-metrics.ts';
import { AccountQueues, type Waiter } from './account-queues.ts';

export interface AdmissionOptions {
  /** Requests served at the same time. */
  readonly inFlightMax: number;
  /** Requests that may wait for their turn. One account may take up half of it. */
  readonly queuedMax: number;
  /** How long one may wait. */
  readonly waitMsMax: number;
  readonly metrics: Pick<ResilienceMetrics, 'shed' | 'queueSeconds' | 'watchQueue'>;
  readonly now?: () => number;
}

/** A request's place among those that are served; given back once. */
export interface Turn {
  readonly accountId: string;
  readonly beganAt: number;
}

/** Who asks for a turn. */
export interface TurnTaker {
  turn: Turn | null;
  readonly abort: AbortController;
}

/** How much the newest request counts in the average of how long requests take. */
const newestWeight = 1 / 32;
/** What the average begins with, and never falls below. */
const holdMsMin = 5;
const retryAfterMsMin = 1_000;
const retryAfterMsMax = 30_000;

/**
 * How many requests are served at the same time, and how many more may wait: what is beyond is turned away at once, before
 * anything is read of it, so that those that were let in are served as quickly as ever. A request whose turn would foreseeably
 * come too late is turned away when it comes, not after it has waited.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #now: () => number;
  readonly #queues = new AccountQueues();
  #inFlight = 0;
  #holdMs = holdMsMin;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
    options.metrics.watchQueue(() => this.#queues.length);
  }

  /**
   * Undefined when the request has its turn at once; else what settles when it has. Throws, or rejects with, `overloaded`;
   * rejects with an `AbortError` when the client has left.
   */
  enter(accountId: string, taker: TurnTaker): Promise<void> | undefined {
    if (this.#inFlight < this.#options.inFlightMax) {
      taker.turn = this.#begin(accountId);
      return undefined;
    }
    this.#requireRoom(accountId);
    return this.#wait(accountId, taker);
  }

  /** Gives a turn back, if there was one. */
  leave(taker: Pick<TurnTaker, 'turn'>): void {
    const { turn } = taker;
    if (turn === null) return;
    taker.turn = null;
    this.#inFlight -= 1;
    this.#queues.end(turn.accountId);
    const holdMs = Math.max(holdMsMin, this.#now() - turn.beganAt);
    this.#holdMs += (holdMs - this.#holdMs) * newestWeight;
    if (this.#queues.length > 0) this.#queues.shift()?.settle(true);
  }

  #begin(accountId: string): Turn {
    this.#inFlight += 1;
    this.#queues.begin(accountId);
    return { accountId, beganAt: this.#now() };
  }

  #requireRoom(accountId: string): void {
    const { queuedMax, waitMsMax } = this.#options;
    const waiting = this.#queues.waitingOf(accountId);
    if (waiting >= Math.max(1, queuedMax / 2)) throw this.#shed('queue_full');
    if (this.#expectedWaitMs(waiting + 1) > waitMsMax) throw this.#shed('too_slow');
    if (this.#queues.length < queuedMax) return;
    // Whoever has the most waiting makes room for whoever has less.
    const displaced = this.#queues.popOfLongest(waiting + 1);
    if (displaced === undefined) throw this.#shed('queue_full');
    displaced.settle(false);
  }

  /** By the share of the turns that one of the present accounts gets. */
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
        reject(this.#shed('too_slow'));
      }, waitMsMax);
      signal.addEventListener('abort', leave, { once: true });
      this.#queues.add(waiter);
    });
  }

  #shed(reason: 'queue_full' | 'too_slow' | 'displaced'): GatewayError {
    this.#options.metrics.shed.inc({ reason });
    // Spread, so that those who were turned away together do not come back together.
    const waitMs = Math.min(retryAfterMsMax, Math.max(retryAfterMsMin, this.#holdMs)) * (1 + Math.random());
    return new GatewayError('overloaded', { detail: `shed: ${reason}`, retryAfterMs: Math.round(waitMs) });
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('the client left', 'AbortError');
}
