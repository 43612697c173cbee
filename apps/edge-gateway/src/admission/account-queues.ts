/** Somebody who waits for a turn. */
export interface Waiter {
  readonly accountId: string;
  /** Told once: whether it is their turn, or there will be none. */
  readonly settle: (isTurn: boolean) => void;
}

interface AccountLoad {
  inFlight: number;
  readonly waiting: Set<Waiter>;
}

/**
 * What each account has under way, and who waits. The next turn is always that of the account with the least under way, so
 * that whoever asks for little waits for little, however much others ask for.
 */
export class AccountQueues {
  /** Accounts that have something under way or waiting. */
  readonly #loads = new Map<string, AccountLoad>();
  /** Those of them with somebody waiting; the one that had its turn last comes last. */
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

  /** Takes out the one that has waited longest, of the account with the least under way. */
  shift(): Waiter | undefined {
    let chosen: AccountLoad | undefined;
    for (const load of this.#waiting.values()) {
      if (chosen === undefined || load.inFlight < chosen.inFlight) chosen = load;
    }
    const [waiter] = chosen?.waiting ?? [];
    if (chosen === undefined || waiter === undefined) return undefined;
    this.remove(waiter);
    // Among accounts with as much under way, turns go round.
    if (this.#waiting.delete(waiter.accountId)) this.#waiting.set(waiter.accountId, chosen);
    return waiter;
  }

  /** Takes out the one that came last, of the account with the most waiting, if that has more than `least`. */
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
