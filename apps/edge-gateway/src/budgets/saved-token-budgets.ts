import type { BudgetLimits, BudgetStore } from './budget-store.port.ts';
import { KeyBudget, type BudgetAnswer } from './key-budget.ts';
import { StoreHealth } from './store-health.ts';

/** Whose budget, and how large it is. */
export interface BudgetedKey extends BudgetLimits {
  readonly accountId: string;
  readonly keyId: string;
}

/** How soon a settlement is told: a process that is killed loses no more than this of what its requests saved. */
const flushMs = 100;
const flushAwayMs = 1_000;
/** Keys that are told of together: more at once would take the event loop for too long. */
const flushedMax = 1_000;
/** Well within the lease, so that a lost renewal does not end it. */
const upkeepMs = 5_000;
/** Keys with requests under way or lately. More than that at once pass as if the store were away. */
const keysMax = 50_000;

export interface SavedTokenBudgetsOptions {
  readonly store: BudgetStore;
  readonly log: { info(text: string): void; warn(fields: object, text: string): void };
  readonly now?: () => number;
}

/**
 * The budgets of saved tokens, per key, shared by all replicas: what a request may save is reserved before it is
 * planned to go out smaller, and settled when it has ended. Requests under way together never reserve more than the
 * budget and what one of them saves. While the store is away, each process gives out an eighth of what it last knew to
 * be left, and what it gave out is settled when the store is back.
 */
export class SavedTokenBudgets {
  readonly #options: SavedTokenBudgetsOptions;
  readonly #now: () => number;
  readonly #health: StoreHealth;
  readonly #budgets = new Map<string, KeyBudget>();
  readonly #dirty = new Set<KeyBudget>();
  #sequence = 0;
  #flushTimer: NodeJS.Timeout | undefined;
  readonly #upkeepTimer: NodeJS.Timeout;

  constructor(options: SavedTokenBudgetsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#health = new StoreHealth(this.#now, (error) => this.#say(error));
    this.#upkeepTimer = setInterval(() => this.#upkeep(), upkeepMs).unref();
  }

  /** Whether the key's budget is known to be used up, without asking: true for a second after it was told. */
  isExhausted(key: BudgetedKey): boolean {
    return this.#budgets.get(key.keyId)?.isExhausted(key) ?? false;
  }

  /** Holds what a request is about to save, until it is settled. At once where this process holds enough; never throws. */
  reserve(key: BudgetedKey, tokens: number): BudgetAnswer | Promise<BudgetAnswer> {
    const budget = this.#budgets.get(key.keyId) ?? this.#open(key);
    return budget?.reserve(tokens, key) ?? 'unknown';
  }

  /** Tells what is yet to be told, and gives back what is held ahead. */
  async close(): Promise<void> {
    clearInterval(this.#upkeepTimer);
    clearTimeout(this.#flushTimer);
    await Promise.all([...this.#budgets.values()].map((budget) => budget.sync(false)));
    const held = [...this.#budgets.values()].filter(({ isHolding }) => isHolding);
    if (!this.#health.isAway) await Promise.all(held.map((budget) => budget.sync(false)));
    clearTimeout(this.#flushTimer);
  }

  #open({ accountId, keyId }: BudgetedKey): KeyBudget | undefined {
    if (this.#budgets.size >= keysMax) return undefined;
    const budget = new KeyBudget({
      accountId,
      keyId,
      store: this.#options.store,
      health: this.#health,
      now: this.#now,
      nextSequence: () => ++this.#sequence,
      onDirty: (dirty) => this.#flushSoon(dirty),
    });
    this.#budgets.set(keyId, budget);
    return budget;
  }

  #flushSoon(budget: KeyBudget): void {
    this.#dirty.add(budget);
    const delayMs = this.#health.isAway ? flushAwayMs : flushMs;
    this.#flushTimer ??= setTimeout(() => this.#flush(), delayMs).unref();
  }

  #flush(): void {
    this.#flushTimer = undefined;
    const dirty = [...this.#dirty].slice(0, flushedMax);
    for (const budget of dirty) {
      if (!this.#health.mayAsk()) break;
      this.#dirty.delete(budget);
      void budget.sync();
    }
    const [waiting] = this.#dirty;
    if (waiting !== undefined) this.#flushSoon(waiting);
  }

  /** Renews leases, gives back what idle keys hold ahead, and forgets keys that nobody uses. */
  #upkeep(): void {
    for (const [keyId, budget] of this.#budgets) {
      if (budget.isHolding) this.#flushSoon(budget);
      else if (budget.isIdle && !this.#dirty.has(budget)) this.#budgets.delete(keyId);
    }
  }

  #say(error?: unknown): void {
    const { log } = this.#options;
    if (error === undefined) log.info('budgets of saved tokens are shared again: Redis answers');
    else
      log.warn({ err: error }, 'budgets of saved tokens are local and conservative: Redis does not answer');
  }
}
