import { GatewayError } from '@gateway/errors';
import type { ResilienceMetrics } from '../metrics/edge-metrics.ts';

export interface AdmissionOptions {
  /** Maximum number of requests served concurrently. */
  readonly inFlightMax: number;
  /** Maximum number of queued requests. One account may use at most half of the queue. */
  readonly queuedMax: number;
  /** Maximum time a request may wait in the queue. */
  readonly waitMsMax: number;
  readonly metrics: Pick<ResilienceMetrics, 'shed' | 'queueSeconds' | 'watchQueue'>;
  readonly now?: () => number;
}

/** A request's permission to run. It can be released only once. */
export interface Turn {
  readonly accountId: string;
  readonly beganAt: number;
}

/** A request that is waiting for a turn. */
export interface TurnTaker {
  turn: Turn | null;
  readonly abort: AbortController;
}

/** Weight of the latest request in the moving average of request durations. */
const newestWeight = 1 / 32;
/** Initial value and lower bound of the average request duration. */
const holdMsMin = 5;
const retryAfterMsMin = 1_000;
const retryAfterMsMax = 30_000;

/**
 * Limits how many requests are served concurrently and how many are queued. Excess requests are rejected
 * before their bodies are read, so that admitted requests stay fast. A request that would wait too long is
 * rejected on arrival.
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
   * Returns undefined if the request may start now; otherwise a promise that resolves when its turn comes.
   * Throws or rejects with `overloaded`; rejects with an `AbortError` if the client disconnects.
   */
  enter(accountId: string, taker: TurnTaker): Promise<void> | undefined {
    if (this.#inFlight < this.#options.inFlightMax) {
      taker.turn = this.#begin(accountId);
      return undefined;
    }
    this.#requireRoom(accountId);
    return this.#wait(accountId, taker);
  }

  /** Releases the turn if the request holds one. */
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
    // The account with the longest queue loses a queued request to an account with a shorter queue.
    const displaced = this.#queues.popOfLongest(waiting + 1);
    if (displaced === undefined) throw this.#shed('queue_full');
    displaced.settle(false);
  }

  /** The estimate assumes that all accounts get an equal share of the turns. */
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
    // The delay is randomized so that rejected clients do not all retry at the same moment.
    const waitMs = Math.min(retryAfterMsMax, Math.max(retryAfterMsMin, this.#holdMs)) * (1 + Math.random());
    return new GatewayError('overloaded', { detail: `shed: ${reason}`, retryAfterMs: Math.round(waitMs) });
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('the client left', 'AbortError');
}

/** A queued request. */
interface Waiter {
  readonly accountId: string;
  /** Called once: with true when the request's turn comes, or with false if the request is displaced. */
  readonly settle: (isTurn: boolean) => void;
}

interface AccountLoad {
  inFlight: number;
  readonly waiting: Set<Waiter>;
}

/**
 * Counts the requests in flight for each account and queues waiting requests per account. The next turn goes
 * to the account with the fewest requests in flight, so a busy account does not delay others.
 */
class AccountQueues {
  /** Accounts with requests in flight or in the queue. */
  readonly #loads = new Map<string, AccountLoad>();
  /** Accounts with queued requests. The account that was served last is at the end. */
  readonly #waiting = new Map<string, AccountLoad>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get accounts(): number {
    return this.#loads.size;
  }

  begin(accountId: string): void {
    this.#know(accountId).inFlight += 1;
  }

  end(accountId: string): void {
    const load = this.#know(accountId);
    load.inFlight -= 1;
    this.#forgetIdle(accountId, load);
  }

  waitingOf(accountId: string): number {
    return this.#waiting.get(accountId)?.waiting.size ?? 0;
  }

  add(waiter: Waiter): void {
    const load = this.#know(waiter.accountId);
    load.waiting.add(waiter);
    this.#waiting.set(waiter.accountId, load);
    this.#length += 1;
  }

  remove(waiter: Waiter): void {
    const load = this.#loads.get(waiter.accountId);
    if (load === undefined || !load.waiting.delete(waiter)) return;
    this.#length -= 1;
    if (load.waiting.size === 0) this.#waiting.delete(waiter.accountId);
    this.#forgetIdle(waiter.accountId, load);
  }

  /** Removes the oldest queued request from the account with the fewest requests in flight. */
  shift(): Waiter | undefined {
    let chosen: AccountLoad | undefined;
    for (const load of this.#waiting.values()) {
      if (chosen === undefined || load.inFlight < chosen.inFlight) chosen = load;
    }
    const [waiter] = chosen?.waiting ?? [];
    if (chosen === undefined || waiter === undefined) return undefined;
    this.remove(waiter);
    // Accounts with equal load take turns.
    if (this.#waiting.delete(waiter.accountId)) this.#waiting.set(waiter.accountId, chosen);
    return waiter;
  }

  /**
   * Removes the newest queued request from the account with the longest queue, if that queue has more than
   * `least` requests.
   */
  popOfLongest(least: number): Waiter | undefined {
    let longest: AccountLoad | undefined;
    for (const load of this.#waiting.values()) {
      if (load.waiting.size > Math.max(least, longest?.waiting.size ?? 0)) longest = load;
    }
    const waiter = longest === undefined ? undefined : [...longest.waiting].at(-1);
    if (waiter !== undefined) this.remove(waiter);
    return waiter;
  }

  #know(accountId: string): AccountLoad {
    const known = this.#loads.get(accountId);
    if (known !== undefined) return known;
    const made = { inFlight: 0, waiting: new Set<Waiter>() };
    this.#loads.set(accountId, made);
    return made;
  }

  #forgetIdle(accountId: string, { inFlight, waiting }: AccountLoad): void {
    if (inFlight === 0 && waiting.size === 0) this.#loads.delete(accountId);
  }
}
