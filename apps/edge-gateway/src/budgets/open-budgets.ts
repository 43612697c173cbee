import { randomUUID } from 'node:crypto';
import type { Logger } from '@gateway/observability';
import { connectRedis, redisCommandMs } from '../connect-redis.ts';
import { RedisBudgetStore } from './redis-budget-store.adapter.ts';
import { SavedTokenBudgets } from './saved-token-budgets.ts';

export interface OpenBudgets {
  readonly budgets: SavedTokenBudgets;
  /** Tells what is yet to be told, and disconnects. */
  readonly close: () => Promise<void>;
}

/** @param planDeadlineMs a request waits no longer for its budget than planning may hold it up. */
export function openBudgets(redisUrl: string, planDeadlineMs: number, log: Logger): OpenBudgets {
  const redis = connectRedis(redisUrl, log, Math.min(redisCommandMs, planDeadlineMs));
  const budgets = new SavedTokenBudgets({ store: new RedisBudgetStore(redis, randomUUID()), log });
  const close = async (): Promise<void> => {
    await budgets.close();
    redis.disconnect();
  };
  return { budgets, close };
}
