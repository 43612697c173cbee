import { randomUUID } from 'node:crypto';
import { accountChanged, listKeyUsage } from '@gateway/contracts';
import { AccountCache, connectCacheRedis, type Messaging } from '@gateway/messaging';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import { RedisBudgetStore } from './budgets/redis-budget-store.adapter.ts';
import { dayMs, dayOf, firstDayOfWeek } from './budgets/budget-store.port.ts';
import type { BudgetKeyId, SpentTokens } from './budgets/budget-store.port.ts';
import { SavedTokenBudgets, type SavedTokenBudgetsOptions } from './budgets/saved-token-budgets.ts';
import { admitCommand } from './rate-limits/window-script.ts';
import { ModelToggles, ToolRecall } from './routing/account-routing.ts';
import { ConversationPins } from './routing/conversation-pins.ts';
import { ModelRouter } from './routing/model-router.ts';
import { Observations } from './routing/observations.ts';
import { RedisObservations } from './routing/redis-observations.adapter.ts';

/** Milliseconds for which rate limits and budgets wait for Redis before the process decides locally. */
const redisCommandMs = 250;

/**
 * Connects to Redis for rate limits, budgets and caches. Redis commands fail immediately while Redis is
 * unavailable.
 */
export function connectRedis(url: string, log: Logger, commandTimeoutMs: number = redisCommandMs): Redis {
  return connectCacheRedis(url, {
    commandTimeoutMs,
    connectTimeoutMs: 2_000,
    onError: (error) => log.debug({ err: error }, 'Redis error'),
    // The rate limiter batches its own commands and must not wait for an automatic pipeline.
    pipelineAllExcept: [admitCommand],
  });
}

export interface Caches {
  readonly cacheRedis: Redis;
  /**
   * The part of the Redis cache that stores conversation state. Each account may use only a limited share of
   * the cache for conversation state.
   */
  readonly conversationCache: AccountCache;
}

/** Opens the part of the Redis cache for conversation state: sent edits, tool sets and chosen models. */
export function openConversationCache(
  redis: Redis,
  { config, metrics }: { readonly config: Config; readonly metrics: Metrics },
): AccountCache {
  const refused = metrics.counter({
    name: 'gateway_cache_values_refused_total',
    help: 'Conversation state that was not shared between replicas because the share of its account in the cache was used up.',
  });
  return new AccountCache(redis, {
    purpose: 'conversations',
    bytesPerDayMax: config.CACHE_BYTES_PER_ACCOUNT_MAX,
    onRefused: () => refused.inc(),
  });
}

export interface OpenBudgets {
  readonly budgets: SavedTokenBudgets;
  /** The connection to the Redis server of the job queue, which stores the token budgets. */
  readonly redis: Redis;
  /** Settles all unsettled tokens, then disconnects. */
  readonly close: () => Promise<void>;
}

/** Opens the store of token budgets. A request never waits longer than `PLAN_DEADLINE_MS` for its budget. */
export function openBudgets(
  { REDIS_URL, PLAN_DEADLINE_MS }: Pick<Config, 'REDIS_URL' | 'PLAN_DEADLINE_MS'>,
  messaging: Messaging,
  log: Logger,
): OpenBudgets {
  const waitMs = Math.min(redisCommandMs, PLAN_DEADLINE_MS);
  const redis = connectRedis(REDIS_URL, log, waitMs);
  const loadSpent: SavedTokenBudgetsOptions['loadSpent'] = (key) => loadSpentTokens(messaging, key, waitMs);
  const store = new RedisBudgetStore(redis, randomUUID());
  const budgets = new SavedTokenBudgets({ store, loadSpent, log });
  messaging.onBroadcast(accountChanged, ({ accountId, deleted }) => {
    if (deleted) budgets.forget(accountId);
  });
  const close = async (): Promise<void> => {
    await budgets.close();
    redis.disconnect();
  };
  return { budgets, redis, close };
}

/** Reads the net tokens that a key has saved on this UTC day and in this week, from the usage in the request log. */
async function loadSpentTokens(
  messaging: Messaging,
  { accountId, keyId }: BudgetKeyId,
  deadlineMs: number,
): Promise<SpentTokens> {
  const day = dayOf(Date.now());
  const to = new Date((day + 1) * dayMs).toISOString();
  const sumSince = async (firstDay: number): Promise<number> => {
    const from = new Date(firstDay * dayMs).toISOString();
    const { keys } = await messaging.call(listKeyUsage, { accountId, from, to }, { deadlineMs });
    return keys.find(({ key_id }) => key_id === keyId)?.net_tokens_saved ?? 0;
  };
  const [today, thisWeek] = await Promise.all([sumSince(day), sumSince(firstDayOfWeek(day))]);
  return { day, today, thisWeek };
}

export interface OpenModelRouter {
  readonly modelRouter: ModelRouter;
  close(): void;
}

/**
 * Builds the model router with its stores. If Redis loses its data, response times and chosen models are
 * collected again.
 */
export function openModelRouter(
  catalog: ModelCatalog,
  { cacheRedis, conversationCache }: Caches,
  messaging: Messaging,
  log: Logger,
): OpenModelRouter {
  const observations = new Observations({ store: new RedisObservations(cacheRedis), log });
  messaging.onBroadcast(accountChanged, ({ accountId, deleted }) => {
    if (deleted) observations.forget(accountId);
  });
  const modelRouter = new ModelRouter({
    catalog,
    observations,
    toggles: new ModelToggles(messaging),
    recall: new ToolRecall(messaging),
    pins: new ConversationPins(conversationCache, log),
  });
  return { modelRouter, close: () => observations.close() };
}
