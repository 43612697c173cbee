/** A bounded resource and the limits for one account. */
export interface FairShareOptions {
  /** The size of the resource, in any unit. */
  readonly capacity: number;
  /**
   * The part of the capacity that one account may use while no other account uses the resource; 0 to 1. With
   * 1, one account may use everything.
   */
  readonly accountShare: number;
  /** The maximum that one account may ever use. Absent: no further limit. */
  readonly accountMax?: number;
}

/** Why an account may not use more: the resource is used up, or the account has reached its share. */
export type ShareRefusal = 'full' | 'account';

/**
 * Decides whether an account may use more of a resource that accounts share. An account may use a fixed
 * multiple of the free amount: dynamic thresholds (Choudhury and Hahne, IEEE/ACM Transactions on Networking
 * 6(2), 1998). One busy account may use `accountShare`. Several busy accounts get equal parts and leave some
 * capacity free. With a share of 0.8, ten busy accounts use 9.8% each and leave 2.4%. An account that uses
 * nothing may always start while there is room.
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
   * Returns null if the account may use `amount` more, and otherwise the reason.
   * @param own the amount that the account uses now
   * @param used the amount that all accounts use now, including `own`
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

/** The amount of a resource that each account uses. */
export class AccountAmounts {
  readonly #share: FairShare;
  /** Amounts of the accounts that use some of the resource. */
  readonly #amounts = new Map<string, number>();
  #used = 0;

  constructor(options: FairShareOptions) {
    this.#share = new FairShare(options);
  }

  /** The amount that all accounts use together. */
  get used(): number {
    return this.#used;
  }

  /** Takes the amount and returns null. Otherwise takes nothing and returns the reason. */
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
