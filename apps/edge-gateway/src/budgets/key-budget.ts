import type { BudgetLimits, BudgetState, BudgetStore, SpentTokens } from './budget-store.port.ts';
import type { StoreHealth } from './store-health.ts';

/** A request's hold on its key's budget. */
export interface Reservation {
  /** Ends the hold: so many of its tokens were saved. Counts once; 0 gives all of them back. */
  settle(tokens: number): void;
}

/**
 * `exhausted`: the budget is used up, or held by requests under way. `unknown`: the store is away, and what this process
 * may give out by itself is used up.
 */
export type BudgetAnswer = Reservation | 'exhausted' | 'unknown';

/** While a key is busy, its edge holds room for as many more requests, so that they need not ask. */
const aheadMax = 16;
/** A key is busy as long as a request came within this time. */
const busyMs = 5_000;
/** How long an edge takes a budget for exhausted before it asks again: others may have given room back. */
const exhaustedMs = 1_000;
/** Requests that one question asks for. */
const askedMax = 200;
/** What one process may give out of the room that it last knew of while the store is away: eight replicas stay within. */
const localShare = 1 / 8;

interface Waiting {
  readonly tokens: number;
  readonly resolve: (answer: BudgetAnswer) => void;
}

interface Settlement {
  readonly day: number;
  readonly tokens: number;
}

export interface KeyBudgetOptions {
  readonly accountId: string;
  readonly keyId: string;
  readonly store: BudgetStore;
  readonly health: StoreHealth;
  readonly now: () => number;
  /** Grows with every call in this process: a key that was forgotten and comes back goes on from there. */
  readonly nextSequence: () => number;
  /** Something is to be told to the store, by `sync`, soon. */
  readonly onDirty: (budget: KeyBudget) => void;
}

/**
 * One edge's part in one key's budget. The store knows of it one figure, what this edge holds (`#held`): tokens of
 * requests under way (`#reserved`), tokens settled and not yet told (`#unsettled`), and some ahead of need. The figure
 * is told whole each time, so a message that is lost, or answered too late, leaks nothing: the next one puts it right.
 */
export class KeyBudget {
  readonly #options: KeyBudgetOptions;
  #limits: BudgetLimits = { dailyTokenBudget: 0, weeklyTokenBudget: 0 };
  #held = 0;
  #reserved = 0;
  readonly #unsettled = new Map<number, number>();
  /** Sent, and not yet answered: it is sent again, under its number, until it is. */
  #settling: Settlement | null = null;
  #sequence = 0;
  #waiting: Waiting[] = [];
  #known: SpentTokens | null = null;
  #room = 0;
  /** What the store granted ahead when it was last asked. */
  #aheadTokens = 0;
  #exhausted: { until: number; limits: BudgetLimits } | null = null;
  #busyUntil = -Infinity;
  /** What is left to give out while the store is away; null until it is. */
  #share: number | null = null;
  #syncing: Promise<void> | null = null;
  /** Something changed since the store was last told. */
  #isStale = false;

  constructor(options: KeyBudgetOptions) {
    this.#options = options;
  }

  /** Whether a request with these limits would be told `exhausted` without asking. */
  isExhausted(limits: BudgetLimits): boolean {
    const told = this.#exhausted;
    if (told === null || !isSame(told.limits, limits)) return false;
    return this.#options.now() < told.until && this.#known?.day === this.#today();
  }

  /** Holds tokens for a request. Asks the store only when this edge does not hold enough. */
  reserve(tokens: number, limits: BudgetLimits): BudgetAnswer | Promise<BudgetAnswer> {
    if (this.isExhausted(limits)) return 'exhausted';
    if (!isSame(this.#limits, limits)) this.#changeLimits(limits);
    const wasBusy = this.#isBusy();
    this.#busyUntil = this.#options.now() + busyMs;
    if (this.#held - this.#committed() >= tokens) return this.#take(tokens);
    if (this.#options.health.isAway) return this.#takeShare(tokens);
    return new Promise((resolve) => {
      this.#waiting.push({ tokens, resolve });
      void this.sync(wasBusy);
    });
  }

  /** Tells the store what changed, and asks for those who wait. Resolves when nobody waits any more; never rejects. */
  sync(isBusy = this.#isBusy()): Promise<void> {
    this.#syncing ??= this.#syncAll(isBusy).finally(() => {
      this.#syncing = null;
      if (this.#waiting.length > 0) void this.sync();
    });
    return this.#syncing;
  }

  /** Whether the store has to hear of this edge again. */
  get isHolding(): boolean {
    return this.#held > 0 || this.#reserved > 0 || this.#isUntold();
  }

  /** Whether it can be forgotten: nothing is under way, and nobody has asked for a while. */
  get isIdle(): boolean {
    return !this.isHolding && this.#syncing === null && !this.#isBusy();
  }

  async #syncAll(isBusy: boolean): Promise<void> {
    do {
      const asked = this.#waiting.splice(0, askedMax);
      try {
        await this.#syncOnce(asked, isBusy);
      } catch (error) {
        this.#goAway(error, [...asked, ...this.#waiting.splice(0)]);
        return;
      }
    } while (this.#waiting.length > 0);
    if (this.#isStale || this.#isUntold()) this.#options.onDirty(this);
  }

  async #syncOnce(asked: readonly Waiting[], isBusy: boolean): Promise<void> {
    const limits = this.#limits;
    this.#isStale = false;
    const settled = (this.#settling ??= this.#takeUnsettled());
    // What is held ahead is kept while a busy key settles, and given back by one that is idle, or that asks anew.
    const keeps = isBusy && asked.length === 0 && this.#share === null;
    this.#held = this.#committed() + (keeps ? this.#keptAhead(settled.tokens) : 0);
    const heldTokens = this.#held;
    const state = await this.#options.store.sync({
      ...limits,
      accountId: this.#options.accountId,
      keyId: this.#options.keyId,
      sequence: this.#sequence,
      settled,
      heldTokens,
      known: this.#known,
      asked: asked.map(({ tokens }) => tokens),
      ahead: isBusy ? aheadMax : 0,
    });
    this.#options.health.noteAnswer();
    this.#settling = null;
    this.#share = null;
    this.#known = state.spent;
    this.#room = state.roomTokens;
    this.#held = state.heldTokens;
    if (asked.length > 0) this.#answer(asked, state, state.heldTokens - heldTokens, limits);
  }

  /** @param grantedTokens what the store granted for those who asked, and ahead. */
  #answer(
    asked: readonly Waiting[],
    { admitted }: BudgetState,
    grantedTokens: number,
    limits: BudgetLimits,
  ): void {
    const until = this.#options.now() + exhaustedMs;
    this.#exhausted = admitted < asked.length ? { until, limits } : null;
    this.#aheadTokens = grantedTokens;
    for (const [at, { tokens, resolve }] of asked.entries()) {
      if (at < admitted) this.#aheadTokens -= tokens;
      resolve(at < admitted ? this.#take(tokens) : 'exhausted');
    }
  }

  #take(tokens: number): Reservation {
    const day = this.#today();
    let isOpen = true;
    this.#reserved += tokens;
    return {
      settle: (saved) => {
        if (!isOpen) return;
        isOpen = false;
        this.#reserved -= tokens;
        if (saved > 0) this.#unsettled.set(day, (this.#unsettled.get(day) ?? 0) + saved);
        this.#isStale = true;
        this.#options.onDirty(this);
      },
    };
  }

  #goAway(error: unknown, waiting: readonly Waiting[]): void {
    this.#options.health.noteFailure(error);
    for (const { tokens, resolve } of waiting) resolve(this.#takeShare(tokens));
    this.#options.onDirty(this);
  }

  /** Of the room that was last known of, and only on the day that it was known for. */
  #takeShare(tokens: number): BudgetAnswer {
    if (this.#known?.day !== this.#today()) return 'unknown';
    this.#share ??= Math.max(0, Math.floor(this.#room * localShare));
    if (this.#share < tokens) return 'unknown';
    this.#share -= tokens;
    this.#held += tokens;
    return this.#take(tokens);
  }

  /** One day's, the oldest, under a new number. */
  #takeUnsettled(): Settlement {
    const [oldest] = [...this.#unsettled.keys()].sort((a, b) => a - b);
    if (oldest === undefined) return { day: 0, tokens: 0 };
    const tokens = this.#unsettled.get(oldest) ?? 0;
    this.#unsettled.delete(oldest);
    this.#sequence = this.#options.nextSequence();
    return { day: oldest, tokens };
  }

  /** What was held ahead was measured by the limits before: smaller ones may not reach so far. */
  #changeLimits(limits: BudgetLimits): void {
    this.#limits = limits;
    this.#held = this.#committed();
  }

  /** Tokens that this edge must hold: of requests under way, and of those that it has yet to tell of. */
  #committed(): number {
    let sum = this.#reserved;
    for (const tokens of this.#unsettled.values()) sum += tokens;
    return sum;
  }

  /** No more than was granted, nor than is a small part of the room: others may need it. */
  #keptAhead(settledTokens: number): number {
    const ahead = this.#held - settledTokens - this.#committed();
    return Math.max(0, Math.min(ahead, this.#aheadTokens, Math.floor(this.#room / aheadMax)));
  }

  #isUntold(): boolean {
    return (this.#settling?.tokens ?? 0) > 0 || this.#unsettled.size > 0;
  }

  #isBusy(): boolean {
    return this.#options.now() < this.#busyUntil;
  }

  #today(): number {
    return Math.floor(this.#options.now() / 86_400_000);
  }
}

function isSame(a: BudgetLimits, b: BudgetLimits): boolean {
  return a.dailyTokenBudget === b.dailyTokenBudget && a.weeklyTokenBudget === b.weeklyTokenBudget;
}
