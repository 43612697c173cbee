import type { StoreHealth } from './store-health.ts';

/** The tokens that a request reserves from its key's budget. */
export interface Reservation {
  /**
   * Ends the reservation and records how many tokens were saved. A call with 0 tokens releases the whole
   * reservation. Further calls for the same reservation have no effect.
   */
  settle(tokens: number): void;
}

/**
 * The outcome of a reservation. With `exhausted`, the budget is used up or reserved by requests in flight. With
 * `unknown`, the budget store is unavailable, and this process may reserve no more tokens without it.
 */
export type BudgetAnswer = Reservation | 'exhausted' | 'unknown';

/** Identifies the API key to which a budget belongs. */
export interface BudgetKeyId {
  readonly accountId: string;
  readonly keyId: string;
}

/** The limits on the tokens that one API key may save. */
export interface BudgetLimits {
  /** Number of tokens that an API key may save per UTC day. */
  readonly dailyTokenBudget: number;
  /** Number of tokens that an API key may save per UTC week, starting on Monday. */
  readonly weeklyTokenBudget: number;
}

/** The tokens of the budget that the API key had used at the last sync of this edge with the budget store. */
export interface SpentTokens {
  /** The day, as the number of days since 1970-01-01 in UTC. */
  readonly day: number;
  readonly today: number;
  readonly thisWeek: number;
}

/** The state of one key's budget that one edge process remembers, even while the key is idle. */
export interface BudgetMemory {
  /** Number of the key in this process. A key that the process forgot gets a new number. */
  readonly instance: number;
  /** The usage at the last sync. Null before the first sync. */
  readonly spent: SpentTokens | null;
  /** The generation of the usage at the last sync. 0 before the first sync. */
  readonly generation: number;
  /** Number of tokens that this process settled in this generation, as confirmed by the store. */
  readonly confirmedTokens: number;
}

/**
 * The state that one edge sends for one API key, including the requests that wait for budget.
 */
export interface BudgetSync extends BudgetLimits, BudgetKeyId {
  /**
   * What the edge remembers from earlier syncs. After a data loss, the budget store restores usage from what
   * all edges remember.
   */
  readonly memory: BudgetMemory;
  /** Number of tokens that were used on one day and that the store has not confirmed yet. */
  readonly settled: { readonly day: number; readonly tokens: number };
  /**
   * Number of tokens that this edge reserves from the key's budget. Each sync replaces the number of tokens
   * that this edge reserves.
   */
  readonly heldTokens: number;
  /** The usage in the request log, minus this edge's unsettled tokens. Null if the log was not read. */
  readonly logged: SpentTokens | null;
  /**
   * Whether the edge read the request log for this sync. If the store has no usage for the key, the sync
   * succeeds only after the edge has read the request log.
   */
  readonly isRestored: boolean;
  /** The number of tokens that each waiting request may save, oldest request first. */
  readonly asked: readonly number[];
  /**
   * Number of future requests for which the edge reserves tokens in advance while most of the budget is left.
   * Each future request is assumed to save as many tokens as the largest request in the queue.
   */
  readonly ahead: number;
}

export interface BudgetState {
  /**
   * Number of waiting requests that the budget store admits, starting with the oldest. The last request that
   * is admitted may exceed the budget.
   */
  readonly admitted: number;
  /** Total number of tokens that this edge has reserved. */
  readonly heldTokens: number;
  /**
   * Number of tokens in the budget that are neither used nor reserved. The number is negative if the last
   * admitted request could exceed the budget.
   */
  readonly roomTokens: number;
  readonly spent: SpentTokens;
  /**
   * The number of the usage's generation, based on the milliseconds since 1970. Each data loss starts a new
   * generation with a higher number.
   */
  readonly generation: number;
  /**
   * Whether the store may have lost data in the last two seconds. During this time, the store admits no
   * requests, because other edges may not have reported their usage yet.
   */
  readonly isRecovering: boolean;
}

/**
 * The shared store of used and reserved tokens per API key. All methods throw while the store is unavailable.
 */
export interface BudgetStore {
  /**
   * Syncs the budget of an API key. If the budget store has no usage for the key, a sync without `isRestored`
   * returns null and changes nothing.
   */
  sync(sync: BudgetSync): Promise<BudgetState | null>;
  /** Returns the current name of the stored data, which changes whenever the store may have lost data. */
  nameData(): Promise<string>;
}

/** The API key that has the budget, and the services that the budget uses. */
export interface KeyBudgetOptions extends BudgetKeyId {
  readonly store: BudgetStore;
  readonly health: StoreHealth;
  readonly now: () => number;
  /** The process's knowledge about the budget when it last stopped tracking the key. */
  readonly memory: BudgetMemory;
  /**
   * Reads the usage of the key from the request log. The promise never rejects. If the usage arrives too late for
   * the waiting request, the usage is passed to `restore`.
   */
  readonly loadSpent: () => Promise<SpentTokens>;
  /** A function that is called when the budget will soon need a sync with the budget store. */
  readonly onDirty: () => void;
}

/** Merges two records of a key's usage by their higher numbers, because usage never decreases within a day or week. */
export function mergeSpent(known: SpentTokens | null, loaded: SpentTokens): SpentTokens {
  if (known?.day !== loaded.day) return loaded;
  const { day, today, thisWeek } = loaded;
  return { day, today: Math.max(today, known.today), thisWeek: Math.max(thisWeek, known.thisWeek) };
}

/** Subtracts each settled amount from the usage of its day and week. A week starts on Monday. */
export function deductTokens(
  { day, today, thisWeek }: SpentTokens,
  settlements: readonly BudgetSync['settled'][],
): SpentTokens {
  const sumOf = (isPart: (settledDay: number) => boolean): number =>
    settlements.reduce((sum, settled) => sum + (isPart(settled.day) ? settled.tokens : 0), 0);
  const monday = firstDayOfWeek(day);
  return {
    day,
    today: Math.max(0, today - sumOf((settledDay) => settledDay === day)),
    thisWeek: Math.max(0, thisWeek - sumOf((settledDay) => firstDayOfWeek(settledDay) === monday)),
  };
}

export const dayMs = 86_400_000;

/** Returns the UTC day of a time in milliseconds, as the number of days since 1970-01-01. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** Returns the Monday of the day's week. Day 0 is 1970-01-01, a Thursday. */
export const firstDayOfWeek = (day: number): number => day - ((day + 3) % 7);

/** Whether the budget limits of two keys are equal. */
export function isSame(a: BudgetLimits, b: BudgetLimits): boolean {
  return a.dailyTokenBudget === b.dailyTokenBudget && a.weeklyTokenBudget === b.weeklyTokenBudget;
}
