/** A bounded resource, and how much of it one account may use. */
export interface FairShareOptions {
  /** The size of the resource, in any unit. */
  readonly capacity: number;
  /**
   * The part of the capacity that one account may use while no other account uses any; 0 to 1. With 1,
   * one account may use everything.
   */
  readonly accountShare: number;
  /** The most that one account may use in any case. Absent: no further limit. */
  readonly accountMax?: number;
}

/** Why an account may not use more: the resource is used up, or the account has its share. */
export type ShareRefusal = 'full' | 'account';

/**
 * Decides whether an account may use more of a resource that accounts share. An account may use a fixed
 * multiple of what is free: dynamic thresholds (Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2),
 * 1998). One busy account uses `accountShare`; several busy accounts get equal parts and still leave room. With
 * a share of 0.8, ten busy accounts use 9.8% each and leave 2.4%. An account that uses nothing may always
 * start while there is room.
 */
export class FairShare {
  readonly capacity: number;
  readonly #accountShare: number;
  readonly #accountMax: number;

  constructor({ capacity, accountShare, accountMax }: FairShareOptions) {
    this.capacity = capacity;
    this.#accountShare = accountShare;
    this.#accountMax = accountMax ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Returns null if the account may use `amount` more.
   * @param own what the account uses now
   * @param used what all accounts use now, `own` included
   */
  refusalOf(own: number, used: number, amount: number): ShareRefusal | null {
    const freeAfter = this.capacity - used - amount;
    if (freeAfter < 0) return 'full';
    if (own === 0) return null;
    const ownAfter = own + amount;
    const fits = ownAfter * (1 - this.#accountShare) <= freeAfter * this.#accountShare;
    return fits && ownAfter <= this.#accountMax ? null : 'account';
  }
}

/** How much of a resource each account uses. */
export class AccountAmounts {
  readonly #share: FairShare;
  /** Accounts that use some. */
  readonly #amounts = new Map<string, number>();
  #used = 0;

  constructor(options: FairShareOptions) {
    this.#share = new FairShare(options);
  }

  /** What all accounts use. */
  get used(): number {
    return this.#used;
  }

  /** Takes the amount and returns null, or takes nothing and returns why. */
  take(accountId: string, amount: number): ShareRefusal | null {
    const own = this.#amounts.get(accountId) ?? 0;
    const refusal = this.#share.refusalOf(own, this.#used, amount);
    if (refusal !== null) return refusal;
    this.#used += amount;
    this.#amounts.set(accountId, own + amount);
    return null;
  }

  release(accountId: string, amount: number): void {
    if (amount === 0) return;
    const rest = (this.#amounts.get(accountId) ?? 0) - amount;
    this.#used -= amount;
    if (rest > 0) this.#amounts.set(accountId, rest);
    else this.#amounts.delete(accountId);
  }
}
