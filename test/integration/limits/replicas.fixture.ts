import { randomUUID } from 'node:crypto';
import { createLogger } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { RedisBudgetStore } from '../../../apps/edge-gateway/src/budgets/redis-budget-store.adapter.ts';
import {
  SavedTokenBudgets,
  type BudgetedKey,
  type SavedTokenBudgetsOptions,
} from '../../../apps/edge-gateway/src/budgets/saved-token-budgets.ts';
import type { BudgetKeyId, Reservation } from '../../../apps/edge-gateway/src/budgets/budget-store.port.ts';
import { connectRedis } from '../../../apps/edge-gateway/src/edge-stores.ts';
import { eventually } from '../stack.fixture.ts';

export const quietLog = createLogger({ service: 'test', instanceId: 'test', level: 'silent' });

/** The token budgets of one edge. Each edge has a separate Redis connection. */
export interface Replica {
  readonly budgets: SavedTokenBudgets;
  readonly redis: Redis;
  /** Stops the edge like `kill -9`, so that the edge does not return its reserved tokens. */
  kill(): void;
  close(): Promise<void>;
}

/** Connects to Redis like an edge, with longer deadlines. */
export async function connectTo(redisUrl: string): Promise<Redis> {
  const redis = connectRedis(redisUrl, quietLog, 10_000);
  await eventually(() => (redis.status === 'ready' ? true : undefined));
  return redis;
}

/**
 * Starts an edge's token budgets.
 * @param readUsage reads an account's usage from the request log. By default, the request log contains no usage.
 */
export async function startReplica(
  redisUrl: string,
  leaseSeconds?: number,
  readUsage: SavedTokenBudgetsOptions['readUsage'] = () => Promise.resolve(new Map()),
): Promise<Replica> {
  const redis = await connectTo(redisUrl);
  const store = new RedisBudgetStore(redis, randomUUID(), leaseSeconds);
  const budgets = new SavedTokenBudgets({ store, readUsage, usageWaitMs: 1_000, log: quietLog });
  await untilRecovered(redis);
  const close = async (): Promise<void> => {
    await budgets.close();
    redis.disconnect();
  };
  return { budgets, redis, kill: () => redis.disconnect(), close };
}

/** Waits until the edges have had time to report their usage after a data loss in Redis. */
export async function untilRecovered(redis: Redis): Promise<void> {
  await eventually(async () => {
    const [name, [seconds]] = await Promise.all([redis.get('budget:data'), redis.time()]);
    const since = Number(name?.split(' ')[1]);
    return Number(seconds) * 1_000 - since > 2_000 ? true : undefined;
  });
}

export function createKey(dailyTokenBudget: number, weeklyTokenBudget = 1e12): BudgetedKey {
  return { accountId: randomUUID(), keyId: randomUUID(), dailyTokenBudget, weeklyTokenBudget };
}

/**
 * Reads one API key's budget from Redis. Returns the tokens used today and this week, and the tokens reserved
 * by each edge.
 */
export async function readBudget(redis: Redis, { accountId, keyId }: BudgetKeyId) {
  const fields = await redis.hgetall(`budget:{${accountId}}:${keyId}`);
  const [, today = 0, thisWeek = 0] = (fields['spent'] ?? '').split(' ').map(Number);
  const held = Object.entries(fields)
    .filter(([field]) => field !== 'spent')
    .map(([, value]) => Number(value.split(' ')[0]));
  return { today, thisWeek, held };
}

/** Waits until no edge holds a reservation of tokens. Returns the token budget's state. */
export function untilSettled(redis: Redis, key: BudgetKeyId) {
  return eventually(async () => {
    const budget = await readBudget(redis, key);
    return budget.held.every((held) => held === 0) ? budget : undefined;
  });
}

export function isReserved(answer: unknown): answer is Reservation {
  return typeof answer === 'object';
}
