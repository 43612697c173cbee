import { dayOf, deductTokens, isSame, mergeSpent } from './budget-store.port.ts';
import type {
  BudgetAnswer,
  BudgetLimits,
  BudgetMemory,
  BudgetState,
  BudgetSync,
  KeyBudgetOptions,
  Reservation,
  SpentTokens,
} from './budget-store.port.ts';

/** Number of future requests for which a busy API key reserves tokens in advance. */
const aheadMax = 16;
/** An API key is busy if it received a request within this time, in milliseconds. */
const busyMs = 5_000;
/**
 * The time in milliseconds for which the edge tracks a key after its last request. The edge reports the usage of
 * tracked keys after a data loss in the store. The usage of other keys is usually in the request log already.
 */
const trackedMs = 60_000;
/** Delay before the edge queries the budget store about an exhausted budget again, in milliseconds. */
const exhaustedMs = 1_000;
/** Maximum number of waiting requests per sync with the store. */
const askedMax = 200;
/**
 * The part of the last known remaining budget that each process may use while the budget store is unavailable. If
 * each process uses at most an eighth, up to eight processes together stay within the remaining budget.
 */
const localShare = 1 / 8;

interface Waiting {
  readonly tokens: number;
  readonly resolve: (answer: BudgetAnswer) => void;
}

type Settlement = BudgetSync['settled'];

/**
 * The part of an API key's budget that this edge has reserved. The budget store contains the number of tokens that
 * this edge reserves (`#held`). The reserved tokens are for requests in flight (`#reserved`), for settlements that
 * are not synced (`#unsettled`), and for future requests. Each sync sends the total number of reserved tokens, so a
 * later sync corrects a lost or late message.
 */
export class KeyBudget {
  readonly #options: KeyBudgetOptions;
  #limits: BudgetLimits = { dailyTokenBudget: 0, weeklyTokenBudget: 0 };
  #held = 0;
  #reserved = 0;
  readonly #unsettled = new Map<number, number>();
  /** A settlement that the edge sends again until the store confirms it. */
  #settling: Settlement | null = null;
  #waiting: Waiting[] = [];
  #memory: BudgetMemory;
  /** Usage in the request log that has not been sent to the store yet. */
  #logged: SpentTokens | null = null;
  #room = 0;
  /** Number of tokens that the budget store granted in advance at the last sync. */
  #aheadTokens = 0;
  #exhausted: { until: number; limits: BudgetLimits } | null = null;
  #usedAt = -Infinity;
  /** Tokens that this process may still use without a sync. Null while the budget store is available. */
  #share: number | null = null;
  #syncing: Promise<void> | null = null;
  /** Whether the reserved or unsettled tokens have changed since the last sync. */
  #isStale = false;

  constructor(options: KeyBudgetOptions) {
    this.#options = options;
    this.#memory = options.memory;
  }

  /** What this process knows about the budget from the last sync. */
  get memory(): BudgetMemory {
    return this.#memory;
  }

  get accountId(): string {
    return this.#options.accountId;
  }

  /** Whether this process already knows, without a sync, that the given limits have been reached. */
  isExhausted(limits: BudgetLimits): boolean {
    const exhausted = this.#exhausted;
    if (exhausted === null || !isSame(exhausted.limits, limits)) return false;
    return this.#options.now() < exhausted.until && this.#memory.spent?.day === this.#today();
  }

  /** Reserves tokens for a request. Syncs with the store only if this edge has too few tokens reserved. */
  reserve(tokens: number, limits: BudgetLimits): BudgetAnswer | Promise<BudgetAnswer> {
    if (this.isExhausted(limits)) return 'exhausted';
    if (!isSame(this.#limits, limits)) this.#changeLimits(limits);
    const wasBusy = this.#isBusy();
    this.#usedAt = this.#options.now();
    if (this.#held - this.#committed() >= tokens) return this.#take(tokens);
    if (this.#options.health.isAway) return this.#takeShare(tokens);
    return new Promise((resolve) => {
      this.#waiting.push({ tokens, resolve });
      void this.sync(wasBusy);
    });
  }

  /** Sends changes and waiting requests to the budget store. The promise resolves when no requests are waiting. */
  sync(isBusy = this.#isBusy()): Promise<void> {
    this.#syncing ??= this.#syncAll(isBusy).finally(() => {
      this.#syncing = null;
      if (this.#waiting.length > 0) void this.sync();
    });
    return this.#syncing;
  }

  /** Whether the budget must be synced again. */
  get isHolding(): boolean {
    return this.#held > 0 || this.#reserved > 0 || this.#isUnsynced();
  }

  /** Whether the key can be dropped because it has no requests in flight and received none recently. */
  get isIdle(): boolean {
    return !this.isHolding && this.#syncing === null && this.#options.now() >= this.#usedAt + trackedMs;
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
    if (this.#isStale || this.#isUnsynced()) this.#options.onDirty();
  }

  async #syncOnce(asked: readonly Waiting[], isBusy: boolean): Promise<void> {
    const limits = this.#limits;
    this.#isStale = false;
    const settled = (this.#settling ??= this.#takeUnsettled());
    // A busy key keeps its advance reservation if the sync only settles tokens.
    const keeps = isBusy && asked.length === 0 && this.#share === null;
    this.#held = this.#committed() + (keeps ? this.#keptAhead(settled.tokens) : 0);
    const heldTokens = this.#held;
    const { accountId, keyId } = this.#options;
    const state = await this.#send({
      ...limits,
      ...{ accountId, keyId, memory: this.#memory },
      settled,
      heldTokens,
      asked: asked.map(({ tokens }) => tokens),
      ahead: isBusy ? aheadMax : 0,
    });
    this.#options.health.noteAnswer();
    this.#settling = null;
    this.#share = null;
    this.#remember(state, settled);
    this.#held = state.heldTokens;
    if (asked.length > 0) this.#answer(asked, state, state.heldTokens - heldTokens, limits);
  }

  /** Syncs with the store. If the store has no usage for the key, the usage is restored from the request log. */
  async #send(sync: Omit<BudgetSync, 'logged' | 'isRestored'>): Promise<BudgetState> {
    const send = (isRestored: boolean): Promise<BudgetState | null> =>
      this.#options.store.sync({ ...sync, logged: this.#loggedAndSettled(), isRestored });
    let logged = this.#logged;
    let state = await send(false);
    if (state === null) {
      logged = this.#logged = mergeSpent(this.#logged, await this.#options.loadSpent());
      state = await send(true);
    }
    if (state === null) throw new Error('the budget store rejected the restored usage');
    if (this.#logged === logged) this.#logged = null;
    return state;
  }

  #remember({ spent, generation, roomTokens, isRecovering }: BudgetState, settled: Settlement): void {
    const { instance, generation: before, confirmedTokens } = this.#memory;
    const earlierTokens = generation === before ? confirmedTokens : 0;
    this.#memory = { instance, spent, generation, confirmedTokens: earlierTokens + settled.tokens };
    // Until other edges have restored their usage, the store may report more free tokens than there are.
    this.#room = isRecovering ? Math.min(this.#room, roomTokens) : roomTokens;
  }

  /** The usage in the request log, minus this edge's unsettled tokens, because later syncs add these tokens. */
  #loggedAndSettled(): SpentTokens | null {
    if (this.#logged === null) return null;
    const settlements = [...this.#unsettled].map(([day, tokens]) => ({ day, tokens }));
    if (this.#settling !== null) settlements.push(this.#settling);
    return deductTokens(this.#logged, settlements);
  }

  /** Adds the usage in the request log to the known usage of the key. */
  restore(spent: SpentTokens): void {
    this.#logged = mergeSpent(this.#logged, spent);
    this.#isStale = true;
    this.#options.onDirty();
  }

  /**
   * Admits or rejects the waiting requests after a sync with the budget store.
   * @param grantedTokens number of tokens granted, including tokens for later requests
   */
  #answer(
    asked: readonly Waiting[],
    { admitted, isRecovering }: BudgetState,
    grantedTokens: number,
    limits: BudgetLimits,
  ): void {
    if (isRecovering) return asked.forEach(({ resolve }) => resolve('unknown'));
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
        this.#options.onDirty();
      },
    };
  }

  #goAway(error: unknown, waiting: readonly Waiting[]): void {
    this.#options.health.noteFailure(error);
    for (const { tokens, resolve } of waiting) resolve(this.#takeShare(tokens));
    this.#options.onDirty();
  }

  /**
   * Reserves tokens from the part of the remaining budget that this process may use without a sync. This part of
   * the budget is valid only on the day of the last sync.
   */
  #takeShare(tokens: number): BudgetAnswer {
    if (this.#memory.spent?.day !== this.#today()) return 'unknown';
    this.#share ??= Math.max(0, Math.floor(this.#room * localShare));
    if (this.#share < tokens) return 'unknown';
    this.#share -= tokens;
    this.#held += tokens;
    return this.#take(tokens);
  }

  /** Takes the settlement of the oldest day. */
  #takeUnsettled(): Settlement {
    const [oldest] = [...this.#unsettled.keys()].sort((a, b) => a - b);
    if (oldest === undefined) return { day: 0, tokens: 0 };
    const tokens = this.#unsettled.get(oldest) ?? 0;
    this.#unsettled.delete(oldest);
    return { day: oldest, tokens };
  }

  /** Drops the advance reservation, because it was calculated for other budget limits. */
  #changeLimits(limits: BudgetLimits): void {
    this.#limits = limits;
    this.#held = this.#committed();
  }

  /** Tokens that this edge must keep reserved for requests in flight and for unsynced settlements. */
  #committed(): number {
    let sum = this.#reserved;
    for (const tokens of this.#unsettled.values()) sum += tokens;
    return sum;
  }

  /**
   * Returns the number of tokens that should stay reserved for later requests. An edge reserves at most the granted
   * tokens, and at most a small part of the remaining budget. Other edges may need the rest of the budget.
   */
  #keptAhead(settledTokens: number): number {
    const ahead = this.#held - settledTokens - this.#committed();
    return Math.max(0, Math.min(ahead, this.#aheadTokens, Math.floor(this.#room / aheadMax)));
  }

  #isUnsynced(): boolean {
    return (this.#settling?.tokens ?? 0) > 0 || this.#unsettled.size > 0;
  }

  #isBusy(): boolean {
    return this.#options.now() < this.#usedAt + busyMs;
  }

  #today(): number {
    return dayOf(this.#options.now());
  }
}
