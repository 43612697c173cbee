/** A key's budgets of saved tokens. */
export interface BudgetLimits {
  /** Per UTC day. */
  readonly dailyTokenBudget: number;
  /** Per UTC week, starting on Monday. */
  readonly weeklyTokenBudget: number;
}

/** A key's used budget at the last sync. */
export interface SpentTokens {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly today: number;
  readonly thisWeek: number;
}

/** The state of one key at one edge, and the requests that wait for budget. */
export interface BudgetSync extends BudgetLimits {
  readonly accountId: string;
  readonly keyId: string;
  /** Increases with every settlement of this edge for the key. The store counts a repeated number once. */
  readonly sequence: number;
  /** Tokens used on a day since the last settlement; zero if there is nothing to settle. */
  readonly settled: { readonly day: number; readonly tokens: number };
  /** Tokens that this edge reserves of the key's budget. Replaces the previous value. */
  readonly heldTokens: number;
  /** The last known use. A store that lost its data restores it from here. */
  readonly known: SpentTokens | null;
  /** Waiting requests by the tokens that each may save, oldest first. */
  readonly asked: readonly number[];
  /** How many further requests of the largest size to reserve in advance, if there is plenty of room. */
  readonly ahead: number;
}

export interface BudgetState {
  /** Number of waiting requests admitted, from the oldest. The last one may exceed the budget. */
  readonly admitted: number;
  /** Tokens that this edge now reserves. */
  readonly heldTokens: number;
  /** Tokens neither used nor reserved; negative if the last admitted request may exceed the budget. */
  readonly roomTokens: number;
  readonly spent: SpentTokens;
}

/** The shared store of used and reserved budgets. Throws while it is unavailable. */
export interface BudgetStore {
  sync(sync: BudgetSync): Promise<BudgetState>;
}
