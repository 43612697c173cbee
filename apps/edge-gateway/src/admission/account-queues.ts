/** A queued request. */
export interface Waiter {
  readonly accountId: string;
  /**
   * The queue calls this function once per request. The argument is true if the request may start, and false
   * if the queue gave the request's slot to another account.
   */
  readonly settle: (isTurn: boolean) => void;
}

interface AccountLoad {
  inFlight: number;
  readonly waiting: Set<Waiter>;
}

/**
 * Counts the requests in flight for each account and queues waiting requests per account. The account with the
 * fewest requests in flight starts the next request, so that a busy account does not delay other accounts.
 */
export class AccountQueues {
  /** Accounts that have requests in flight or in the queue. */
  readonly #loads = new Map<string, AccountLoad>();
  /** Accounts with queued requests. The account that was served most recently is at the end of the list. */
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

  inFlightOf(accountId: string): number {
    return this.#loads.get(accountId)?.inFlight ?? 0;
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

  /**
   * Removes the oldest queued request from the account with the fewest requests in flight. Returns undefined if no
   * account may start a request now.
   */
  shift(mayStart: (inFlight: number) => boolean): Waiter | undefined {
    let chosen: AccountLoad | undefined;
    for (const load of this.#waiting.values()) {
      if (chosen === undefined || load.inFlight < chosen.inFlight) chosen = load;
    }
    const [waiter] = chosen?.waiting ?? [];
    if (chosen === undefined || waiter === undefined || !mayStart(chosen.inFlight)) return undefined;
    this.remove(waiter);
    // Accounts with equal load take turns.
    if (this.#waiting.delete(waiter.accountId)) this.#waiting.set(waiter.accountId, chosen);
    return waiter;
  }

  /**
   * Removes the newest queued request from the account with the longest queue. Returns undefined if the
   * longest queue has at most `least` requests.
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
