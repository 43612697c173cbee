import { failpoint, withTimeout } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { dayMs, dayOf, firstDayOfWeek } from './budget-store.port.ts';
import type {
  BudgetAnswer,
  BudgetKeyId,
  BudgetLimits,
  BudgetMemory,
  BudgetStore,
  SpentTokens,
} from './budget-store.port.ts';
import { KeyBudget } from './key-budget.ts';
import { UsageLoads, type LoggedUsage } from './logged-usage.ts';
import { StoreHealth } from './store-health.ts';

/** An API key and its token budgets. */
export interface BudgetedKey extends BudgetLimits, BudgetKeyId {}

/**
 * Delay before recorded savings are sent to the budget store, in milliseconds. A killed process loses only the
 * savings that it recorded within this delay.
 */
const flushMs = 100;
const flushAwayMs = 1_000;
/** Maximum number of API keys in one sync. A longer sync would block the event loop for too long. */
const flushedMax = 1_000;
/**
 * Interval at which an edge renews the leases of its reservations. A lease is much longer than this interval, so
 * one lost renewal does not end the lease.
 */
const upkeepMs = 5_000;
/**
 * Interval at which the edge checks whether the store lost data. After a data loss, the store admits no
 * requests for two seconds, which is much longer than this interval.
 */
const watchMs = 500;
/**
 * Maximum number of API keys tracked at the same time. An API key is tracked while it has requests in flight or had
 * requests in the last minute. Requests with additional API keys are handled as if the budget store were unavailable.
 */
const keysMax = 50_000;
/**
 * Maximum number of ids of deleted accounts in memory. The open requests of a deleted account end
 * within seconds.
 */
const forgottenMax = 10_000;

/** A budget that has been used up. */
export interface ExhaustedBudget {
  readonly period: 'daily' | 'weekly';
  /** The budget limit, in saved tokens. */
  readonly tokens: number;
  /** Unix time in milliseconds at which the budget resets. */
  readonly resetsAt: number;
}

export interface SavedTokenBudgetsOptions {
  readonly store: BudgetStore;
  /** Reads the usage of an account's API keys from the request log if the budget store has lost its data. */
  readonly readUsage: (accountId: string) => Promise<LoggedUsage>;
  /** Maximum time in milliseconds for which a request waits for `readUsage`. */
  readonly usageWaitMs: number;
  readonly log: { info(text: string): void; warn(fields: object, text: string): void };
  readonly now?: () => number;
}

/**
 * The budgets of saved tokens per API key, shared by all gateway processes. A request's possible savings are
 * reserved before the request is optimized, and settled when the request ends. Together, concurrent requests
 * never reserve more than the budget plus the savings of one request. While the store is unavailable, each
 * process uses an eighth of the last known remaining budget. The process settles the used tokens once the
 * store is available again.
 */
export class SavedTokenBudgets {
  readonly #options: SavedTokenBudgetsOptions;
  readonly #now: () => number;
  readonly #health: StoreHealth;
  readonly #usageLoads: UsageLoads;
  readonly #budgets = new Map<string, KeyBudget>();
  /** What this process remembers about keys that are no longer tracked. */
  readonly #memories = new LRUCache<string, BudgetMemory>({ max: keysMax });
  readonly #dirty = new Set<KeyBudget>();
  readonly #forgotten = new LRUCache<string, true>({ max: forgottenMax });
  /** The number that was last given to a tracked key. */
  #instance = 0;
  /** The name of the store's data at the last check. Null before the first check. */
  #data: string | null = null;
  #isClosed = false;
  #flushTimer: NodeJS.Timeout | undefined;
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(options: SavedTokenBudgetsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#health = new StoreHealth(this.#now, (error) => this.#logChange(error));
    this.#usageLoads = new UsageLoads(options.readUsage);
    this.#timers = [
      setInterval(() => this.#upkeep(), upkeepMs).unref(),
      setInterval(() => void this.checkStore(), watchMs).unref(),
    ];
  }

  /**
   * Checks whether the store may have lost data. After a possible data loss, the usage and the reservations of
   * all tracked keys are sent to the store. Never rejects.
   */
  async checkStore(): Promise<void> {
    const data = await this.#options.store.nameData().catch(() => this.#data);
    if (data === this.#data) return;
    this.#data = data;
    this.#health.noteAnswer();
    for (const budget of this.#budgets.values()) this.#flushSoon(budget);
  }

  /**
   * Returns whether this process has already recorded that the API key's budget is used up. The recorded state
   * stays valid for one second.
   */
  isExhausted(key: BudgetedKey): boolean {
    return this.#budgets.get(key.keyId)?.isExhausted(key) ?? false;
  }

  /**
   * Describes the exhausted budget. The method names the daily budget, unless the weekly budget is used up or is
   * lower than the daily budget. The method does not sync with the store.
   */
  describeExhausted(key: BudgetedKey): ExhaustedBudget {
    const { dailyTokenBudget: daily, weeklyTokenBudget: weekly } = key;
    const today = dayOf(this.#now());
    const known = this.#budgets.get(key.keyId)?.memory.spent;
    const isWeek = weekly < daily || (known?.day === today && known.thisWeek >= weekly);
    if (!isWeek) return { period: 'daily', tokens: daily, resetsAt: (today + 1) * dayMs };
    return { period: 'weekly', tokens: weekly, resetsAt: (firstDayOfWeek(today) + 7) * dayMs };
  }

  /**
   * Reserves the tokens that a request may save. The reservation ends when the request is settled. The method never
   * throws. The method returns synchronously if the process has enough tokens reserved.
   */
  reserve(key: BudgetedKey, tokens: number): BudgetAnswer | Promise<BudgetAnswer> {
    const budget = this.#budgets.get(key.keyId) ?? this.#open(key);
    return budget?.reserve(tokens, key) ?? 'unknown';
  }

  /**
   * Stops syncing the budgets of a deleted account, because a later sync would recreate the account's Redis keys.
   */
  forget(accountId: string): void {
    this.#forgotten.set(accountId, true);
    for (const [keyId, budget] of this.#budgets) {
      if (budget.accountId !== accountId) continue;
      this.#budgets.delete(keyId);
      this.#dirty.delete(budget);
    }
  }

  /** Settles all tokens that are not synced yet and releases all advance reservations. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#usageLoads.close();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#flushTimer);
    await Promise.all([...this.#budgets.values()].map((budget) => budget.sync(false)));
    const held = [...this.#budgets.values()].filter(({ isHolding }) => isHolding);
    if (!this.#health.isAway) await Promise.all(held.map((budget) => budget.sync(false)));
    clearTimeout(this.#flushTimer);
  }

  #open({ accountId, keyId }: BudgetKeyId): KeyBudget | undefined {
    if (this.#budgets.size >= keysMax || this.#forgotten.has(accountId)) return undefined;
    const budget: KeyBudget = new KeyBudget({
      accountId,
      keyId,
      store: this.#options.store,
      health: this.#health,
      now: this.#now,
      memory: this.#memories.get(keyId) ?? this.#newMemory(),
      loadSpent: () => this.#loadSpent({ accountId, keyId }),
      onDirty: () => this.#flushSoon(budget),
    });
    this.#budgets.set(keyId, budget);
    return budget;
  }

  #newMemory(): BudgetMemory {
    this.#instance += 1;
    return { instance: this.#instance, spent: null, generation: 0, confirmedTokens: 0 };
  }

  /**
   * Returns a key's usage from the request log. If the request log does not reply in time, the usage is added
   * to the budget later.
   */
  async #loadSpent({ accountId, keyId }: BudgetKeyId): Promise<SpentTokens> {
    const load = this.#usageLoads.load(accountId);
    const usage = await withTimeout(load, this.#options.usageWaitMs, null);
    if (usage === null) void load.then((late) => this.#restore({ accountId, keyId }, late.get(keyId)));
    return usage?.get(keyId) ?? { day: dayOf(this.#now()), today: 0, thisWeek: 0 };
  }

  /**
   * Adds usage that arrived late to a budget. The account may have changed or removed the budget while the
   * usage was being read.
   */
  #restore(key: BudgetKeyId, spent: SpentTokens | undefined): void {
    if (spent === undefined || this.#isClosed || this.#forgotten.has(key.accountId)) return;
    (this.#budgets.get(key.keyId) ?? this.#open(key))?.restore(spent);
  }

  #flushSoon(budget: KeyBudget): void {
    if (this.#forgotten.has(budget.accountId)) return;
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
      FAILPOINT: failpoint('settle-flush');
      void budget.sync();
    }
    const [waiting] = this.#dirty;
    if (waiting !== undefined) this.#flushSoon(waiting);
  }

  /** Renews the leases, releases the advance reservations of idle API keys, and drops unused keys from memory. */
  #upkeep(): void {
    for (const [keyId, budget] of this.#budgets) {
      if (budget.isHolding) this.#flushSoon(budget);
      else if (budget.isIdle && !this.#dirty.has(budget)) {
        this.#memories.set(keyId, budget.memory);
        this.#budgets.delete(keyId);
      }
    }
  }

  #logChange(error?: unknown): void {
    const { log } = this.#options;
    if (error === undefined) log.info('saved-token budgets are shared again: Redis is available');
    else log.warn({ err: error }, 'saved-token budgets are local and conservative: Redis is unavailable');
  }
}
