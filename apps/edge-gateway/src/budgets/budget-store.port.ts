/** Saved tokens that a key may use. */
export interface BudgetLimits {
  /** A UTC day. */
  readonly dailyTokenBudget: number;
  /** A UTC week, from Monday on. */
  readonly weeklyTokenBudget: number;
}

/** Saved tokens that a key has used, as the store last told. */
export interface SpentTokens {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly today: number;
  readonly thisWeek: number;
}

/** What one edge tells the store of a key's budget, and what it asks for. */
export interface BudgetSync extends BudgetLimits {
  readonly accountId: string;
  readonly keyId: string;
  /** Grows with every settlement of this edge for the key. The same one sent again is counted once. */
  readonly sequence: number;
  /** What was used on a day since the last settlement; no tokens when there is nothing to settle. */
  readonly settled: { readonly day: number; readonly tokens: number };
  /** All that this edge holds of the key's budget from now on, whatever it held before. */
  readonly heldTokens: number;
  /** What this edge knows to be used: a store that came back without its data takes it from there. */
  readonly known: SpentTokens | null;
  /** Requests that wait, by what each may save, the oldest first. */
  readonly asked: readonly number[];
  /** How many more of the largest of them to hold at once, where there is plenty of room. */
  readonly ahead: number;
}

export interface BudgetState {
  /** How many of those asked for, from the first on, have room: the last of them may go over the budget. */
  readonly admitted: number;
  /** What this edge holds now. */
  readonly heldTokens: number;
  /** What is neither used nor held by anybody; negative by what the last admitted request may go over. */
  readonly roomTokens: number;
  readonly spent: SpentTokens;
}

/** Where all edges keep what keys have used and hold. Throws when it is away. */
export interface BudgetStore {
  sync(sync: BudgetSync): Promise<BudgetState>;
}
