/** The limits on saved tokens for one API key. */
export interface BudgetLimits {
  /** Number of tokens that may be saved per UTC day. */
  readonly dailyTokenBudget: number;
  /** Number of tokens that may be saved per UTC week, starting on Monday. */
  readonly weeklyTokenBudget: number;
}

/** The part of a key's budget that was used when this edge last synced. */
export interface SpentTokens {
  /** The day, as the number of days since 1970-01-01 in UTC. */
  readonly day: number;
  readonly today: number;
  readonly thisWeek: number;
}

/**
 * The state that one edge sends for one API key, including the requests that wait for a part of the budget.
 */
export interface BudgetSync extends BudgetLimits {
  readonly accountId: string;
  readonly keyId: string;
  /**
   * The number of the settlement, increased each time this edge settles tokens for the key. The store counts
   * each settlement number only once.
   */
  readonly sequence: number;
  /**
   * Number of tokens used on one day since the last settlement. The number is zero if there is nothing to
   * settle.
   */
  readonly settled: { readonly day: number; readonly tokens: number };
  /**
   * Number of tokens that this edge reserves from the key's budget. The new number replaces the previous
   * number.
   */
  readonly heldTokens: number;
  /**
   * The last known usage of the budget. A store that has lost its data restores the usage from this field.
   */
  readonly known: SpentTokens | null;
  /** For each waiting request, oldest first, the number of tokens that the request may save. */
  readonly asked: readonly number[];
  /**
   * Number of future requests for which tokens are reserved in advance, if most of the budget is left. Each
   * future request is assumed to be as large as the largest waiting request.
   */
  readonly ahead: number;
}

export interface BudgetState {
  /**
   * Number of waiting requests that are admitted, counted from the oldest request. The last admitted request
   * may exceed the budget.
   */
  readonly admitted: number;
  /** Total number of tokens that this edge now reserves. */
  readonly heldTokens: number;
  /**
   * Number of tokens that are neither used nor reserved. The number is negative if the last admitted request
   * may exceed the budget.
   */
  readonly roomTokens: number;
  readonly spent: SpentTokens;
}

/**
 * The shared store of used and reserved tokens per API key. All methods throw while the store is unavailable.
 */
export interface BudgetStore {
  sync(sync: BudgetSync): Promise<BudgetState>;
}
