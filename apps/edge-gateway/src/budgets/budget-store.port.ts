/** The saved-token budgets for one API key. */
export interface BudgetLimits {
  /** Budget per UTC day. */
  readonly dailyTokenBudget: number;
  /** Budget per UTC week, starting on Monday. */
  readonly weeklyTokenBudget: number;
}

/** A key's used budget as of the last sync. */
export interface SpentTokens {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly today: number;
  readonly thisWeek: number;
}

/** One edge's state for one key, including the requests that are waiting for budget. */
export interface BudgetSync extends BudgetLimits {
  readonly accountId: string;
  readonly keyId: string;
  /**
   * Settlement number, increased each time this edge settles tokens for the key. The store ignores a
   * settlement that it has already counted.
   */
  readonly sequence: number;
  /** Tokens used on one day since the last settlement; zero if there is nothing to settle. */
  readonly settled: { readonly day: number; readonly tokens: number };
  /** Tokens that this edge reserves from the key's budget. The new value replaces the previous value. */
  readonly heldTokens: number;
  /** The last known usage. A store that has lost its data restores the usage from this value. */
  readonly known: SpentTokens | null;
  /** For each waiting request, oldest first, the number of tokens that the request may save. */
  readonly asked: readonly number[];
  /**
   * The number of additional requests of the largest size for which to reserve budget in advance, if plenty
   * of budget is left.
   */
  readonly ahead: number;
}

export interface BudgetState {
  /**
   * Number of waiting requests admitted, counted from the oldest. The last admitted request may exceed the
   * budget.
   */
  readonly admitted: number;
  /** Total tokens that this edge now reserves. */
  readonly heldTokens: number;
  /**
   * Tokens that are neither used nor reserved; negative if the last admitted request may exceed the budget.
   */
  readonly roomTokens: number;
  readonly spent: SpentTokens;
}

/** The shared store for used and reserved budgets. All methods throw while the store is unavailable. */
export interface BudgetStore {
  sync(sync: BudgetSync): Promise<BudgetState>;
}
