import type { BudgetLimits, BudgetState, BudgetStore, SpentTokens } from './budget-store.port.ts';
import type { StoreHealth } from './store-health.ts';

/** A request's reservation of its key's budget. */
export interface Reservation {
  /**
   * Ends the reservation with the number of tokens that were saved. 0 returns all of them. Only the first call
   * counts.
   */
  settle(tokens: number): void;
}

/**
 * `exhausted`: the budget is used up or reserved by requests in flight. `unknown`: the store is unavailable, and the
 * local share of this process is used up.
 */
export type BudgetAnswer = Reservation | 'exhausted' | 'unknown';

/** A busy key reserves room for this many further requests, so that they need no sync. */
const aheadMax = 16;
/** A key is busy if a request arrived within this time. */
const busyMs = 5_000;
/** How long an edge treats a budget as exhausted before it asks again. Other edges may have returned tokens. */
const exhaustedMs = 1_000;
/** Waiting requests per sync. */
const askedMax = 200;
/**
 * While the store is unavailable, one process may use this share of the last known room. Eight replicas together stay
 * within it.
 */
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
  /** Increases with every call in this process, also for keys that were dropped and return. */
  readonly nextSequence: () => number;
  /** Called when a `sync` is needed soon. */
  readonly onDirty: (budget: KeyBudget) => void;
}

/**
 * One edge's part of one key's budget. The store knows the tokens that this edge reserves (`#held`): those of
 * requests in flight (`#reserved`), settled ones that are not synced (`#unsettled`), and some in advance. Each sync
 * sends the complete figure, so the next sync corrects a lost or late message.
 */
export class KeyBudget {
  readonly #options: KeyBudgetOptions;
  #limits: BudgetLimits = { dailyTokenBudget: 0, weeklyTokenBudget: 0 };
  #held = 0;
  #reserved = 0;
  readonly #unsettled = new Map<number, number>();
  /** Sent but not confirmed. It is sent again under the same number until it is. */
  #settling: Settlement | null = null;
  #sequence = 0;
  #waiting: Waiting[] = [];
  #known: SpentTokens | null = null;
  #room = 0;
  /** Tokens that the store granted in advance at the last sync. */
  #aheadTokens = 0;
  #exhausted: { until: number; limits: BudgetLimits } | null = null;
  #busyUntil = -Infinity;
  /** The rest of the local share while the store is unavailable; null while it is available. */
  #share: number | null = null;
  #syncing: Promise<void> | null = null;
  /** Whether anything changed since the last sync. */
  #isStale = false;

  constructor(options: KeyBudgetOptions) {
    this.#options = options;
  }

  /** Whether the budget for these limits is known to be exhausted, without a sync. */
  isExhausted(limits: BudgetLimits): boolean {
    const told = this.#exhausted;
    if (told === null || !isSame(told.limits, limits)) return false;
    return this.#options.now() < told.until && this.#known?.day === this.#today();
  }

  /** Reserves tokens for a request. Syncs only if this edge does not hold enough. */
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

  /** Sends changes and waiting requests to the store. Resolves when no request waits; never rejects. */
  sync(isBusy = this.#isBusy()): Promise<void> {
    this.#syncing ??= this.#syncAll(isBusy).finally(() => {
      this.#syncing = null;
      if (this.#waiting.length > 0) void this.sync();
    });
    return this.#syncing;
  }

  /** Whether another sync is needed. */
  get isHolding(): boolean {
    return this.#held > 0 || this.#reserved > 0 || this.#isUntold();
  }

  /** Whether the key can be dropped: nothing is in flight, and no request arrived lately. */
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
    // A busy key keeps its advance reservation while it settles. An idle key, or one that requests more, returns it.
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

  /** @param grantedTokens tokens granted for the waiting requests and in advance. */
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

  /** Takes tokens from the local share of the last known room, only on the day of that sync. */
  #takeShare(tokens: number): BudgetAnswer {
    if (this.#known?.day !== this.#today()) return 'unknown';
    this.#share ??= Math.max(0, Math.floor(this.#room * localShare));
    if (this.#share < tokens) return 'unknown';
    this.#share -= tokens;
    this.#held += tokens;
    return this.#take(tokens);
  }

  /** Takes the settlement of the oldest day under a new number. */
  #takeUnsettled(): Settlement {
    const [oldest] = [...this.#unsettled.keys()].sort((a, b) => a - b);
    if (oldest === undefined) return { day: 0, tokens: 0 };
    const tokens = this.#unsettled.get(oldest) ?? 0;
    this.#unsettled.delete(oldest);
    this.#sequence = this.#options.nextSequence();
    return { day: oldest, tokens };
  }

  /** Drops the advance reservation, because it was measured by the previous limits. */
  #changeLimits(limits: BudgetLimits): void {
    this.#limits = limits;
    this.#held = this.#committed();
  }

  /** Tokens that this edge must reserve: of requests in flight and of settlements not synced. */
  #committed(): number {
    let sum = this.#reserved;
    for (const tokens of this.#unsettled.values()) sum += tokens;
    return sum;
  }

  /** Limited to the granted tokens and to a small part of the room, which other edges may need. */
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
