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

/**
 * The state that one edge sends for one API key, including the requests that wait for budget.
 */
export interface BudgetSync extends BudgetLimits, BudgetKeyId {
  /**
   * The settlement number. The edge increases the settlement number each time it settles tokens for the key. The
   * store ignores a settlement with a number that it has already counted.
   */
  readonly sequence: number;
  /** Number of tokens used on one day since the last settlement. */
  readonly settled: { readonly day: number; readonly tokens: number };
  /**
   * Number of tokens that this edge reserves from the key's budget. Each sync replaces the number of tokens
   * that this edge reserves.
   */
  readonly heldTokens: number;
  /** The last known usage of the budget. If the budget store has lost its data, the last known usage is restored. */
  readonly known: SpentTokens | null;
  /**
   * Whether the usage in the field `known` includes the usage from the request log. After a loss of data, the
   * budget store accepts only usage that includes the request log.
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
   * Number of tokens in the budget that are neither used nor reserved. The number of free tokens is negative
   * if the last admitted request may exceed the budget.
   */
  readonly roomTokens: number;
  readonly spent: SpentTokens;
}

/**
 * The shared store of used and reserved tokens per API key. All methods throw while the store is unavailable.
 */
export interface BudgetStore {
  /**
   * Syncs the budget of an API key. If the budget store has lost the key's usage, a sync without the restored usage
   * returns null and changes nothing.
   */
  sync(sync: BudgetSync): Promise<BudgetState | null>;
}

/** The API key that has the budget, and the services that the budget uses. */
export interface KeyBudgetOptions extends BudgetKeyId {
  readonly store: BudgetStore;
  readonly health: StoreHealth;
  readonly now: () => number;
  /**
   * Counter that numbers the settlements of the whole process. Settlement numbers keep increasing, even after
   * a key is dropped from memory and added again.
   */
  readonly nextSequence: () => number;
  /** The usage that this process had stored when it last dropped the key from memory. */
  readonly known: SpentTokens | null;
  /**
   * Reads the usage of the key from the request log. The promise never rejects. If the usage arrives too late for
   * the waiting request, the usage is passed to `restore`.
   */
  readonly loadSpent: () => Promise<SpentTokens>;
  /** A function that is called when the budget will soon need a sync with the budget store. */
  readonly onDirty: () => void;
}

/** Merges two known usages of a key. The usage of a key never decreases within a day or a week. */
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
