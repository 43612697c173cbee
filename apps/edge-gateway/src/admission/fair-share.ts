/** A bounded resource, and the limits on the share of one account. */
export interface FairShareOptions {
  /** The size of the resource, in any unit. */
  readonly capacity: number;
  /**
   * The part of the capacity, from 0 to 1, that one account may use while no other account uses the resource. With
   * a share of 1, one account may use the whole capacity.
   */
  readonly accountShare: number;
  /** The maximum amount that one account may ever use. By default, only `accountShare` limits an account. */
  readonly accountMax?: number;
}

/** The reason for a refusal. The resource is used up, or the account has reached its share. */
export type ShareRefusal = 'full' | 'account';

/**
 * Decides whether an account may use more of a shared resource. Each account may use up to a fixed multiple of the
 * free capacity. The algorithm is called dynamic thresholds (Choudhury and Hahne, IEEE/ACM Transactions on
 * Networking 6(2), 1998). One busy account may use up to `accountShare` of the capacity. Several busy accounts get
 * equal shares and leave some capacity free. For example, if `accountShare` is 0.8, ten busy accounts use 9.8% of
 * the capacity each and leave 2.4% free. An account without usage may always start if some capacity is free.
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
   * Returns null if the account may use `amount` more of the resource, or else the reason for the refusal.
   * @param own amount that the account currently uses.
   * @param used amount that all accounts currently use, including `own`.
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

/** The amounts of a shared resource that the accounts currently use. */
export class AccountAmounts {
  readonly #share: FairShare;
  /** The amount that each account currently uses. Accounts without usage have no entry. */
  readonly #amounts = new Map<string, number>();
  #used = 0;

  constructor(options: FairShareOptions) {
    this.#share = new FairShare(options);
  }

  /** The amount of the resource that all accounts use together. */
  get used(): number {
    return this.#used;
  }

  /**
   * If the share allows the amount, adds the amount to the account's usage and returns null. If the share does not
   * allow the amount, the method adds nothing and returns the reason.
   */
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
