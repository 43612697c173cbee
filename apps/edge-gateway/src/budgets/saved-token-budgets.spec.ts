import type { BudgetState, BudgetSync, SpentTokens } from './budget-store.port.ts';
import { KeyBudget } from './key-budget.ts';
import type { LoggedUsage } from './logged-usage.ts';
import { SavedTokenBudgets } from './saved-token-budgets.ts';
import { StoreHealth } from './store-health.ts';

const { jest } = import.meta;

const day = 20_000;
const limits = { dailyTokenBudget: 100_000, weeklyTokenBudget: 100_000 };
const log = { info: () => undefined, warn: () => undefined };

/** An in-memory store for the budget of one key, with the semantics of the Redis script. */
class MemoryStore {
  spent: SpentTokens | null = null;
  isAway = false;
  readonly syncs: BudgetSync[] = [];

  sync = (sync: BudgetSync): Promise<BudgetState | null> => {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.syncs.push(sync);
    if (this.spent === null && !sync.isRestored) return Promise.resolve(null);
    const { memory, logged, settled, asked } = sync;
    const known = [this.spent, memory.spent, logged];
    const today = Math.max(...known.map((spent) => spent?.today ?? 0)) + settled.tokens;
    const thisWeek = Math.max(...known.map((spent) => spent?.thisWeek ?? 0)) + settled.tokens;
    this.spent = { day, today, thisWeek };
    const heldTokens = sync.heldTokens + asked.reduce((sum, tokens) => sum + tokens, 0);
    return Promise.resolve({
      admitted: asked.length,
      heldTokens,
      roomTokens: limits.dailyTokenBudget - today - heldTokens,
      spent: this.spent,
      generation: 1,
      isRecovering: false,
    });
  };

  nameData = () => Promise.resolve('data');
}

it('savings that are unsettled when the usage is restored from the request log are counted once', async () => {
  const store = new MemoryStore();
  let logged = { day, today: 10_000, thisWeek: 20_000 };
  const now = () => day * 86_400_000;
  const budget = new KeyBudget({
    ...{ accountId: 'account', keyId: 'key', store, now },
    memory: { instance: 1, spent: null, generation: 0, confirmedTokens: 0 },
    health: new StoreHealth(now, () => undefined),
    loadSpent: () => Promise.resolve(logged),
    onDirty: () => undefined,
  });
  const reservation = await budget.reserve(3_000, limits);
  if (typeof reservation === 'string') throw new Error(reservation);
  // Redis becomes unavailable while the request ends, and has lost its data when the outage is over.
  store.isAway = true;
  reservation.settle(3_000);
  await budget.sync();
  store.isAway = false;
  store.spent = null;
  logged = { day, today: 13_000, thisWeek: 23_000 };
  await budget.sync();
  expect(store.spent).toEqual({ day, today: 13_000, thisWeek: 23_000 });
});

it('late usage from the request log goes to the current budget of the key, with its reservations', async () => {
  jest.useFakeTimers({ now: day * 86_400_000 });
  const store = new MemoryStore();
  let answer: (usage: LoggedUsage) => void = () => undefined;
  let reads = 0;
  const readUsage = () => {
    reads += 1;
    if (reads === 1) return Promise.reject<LoggedUsage>(new Error('away'));
    return new Promise<LoggedUsage>((resolve) => (answer = resolve));
  };
  const budgets = new SavedTokenBudgets({ store, readUsage, usageWaitMs: 0, log });
  const key = { accountId: 'account', keyId: 'key', ...limits };
  try {
    const reserving = budgets.reserve(key, 100);
    await jest.advanceTimersByTimeAsync(0);
    const first = await reserving;
    if (typeof first === 'string') throw new Error(first);
    first.settle(0);
    // The idle key is dropped from memory and then used again.
    await jest.advanceTimersByTimeAsync(90_000);
    await budgets.reserve(key, 5_000);
    answer(new Map([['key', { day, today: 40_000, thisWeek: 50_000 }]]));
    await jest.advanceTimersByTimeAsync(200);
    expect(store.spent).toEqual({ day, today: 40_000, thisWeek: 50_000 });
    expect(store.syncs.at(-1)!.heldTokens).toBeGreaterThanOrEqual(5_000);
  } finally {
    await budgets.close();
    jest.useRealTimers();
  }
});
