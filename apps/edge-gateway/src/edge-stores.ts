import { randomUUID } from 'node:crypto';
import { accountChanged, listKeyUsage } from '@gateway/contracts';
import { AccountCache, connectCacheRedis, type Messaging } from '@gateway/messaging';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import { RedisBudgetStore } from './budgets/redis-budget-store.adapter.ts';
import { dayMs, dayOf, firstDayOfWeek } from './budgets/budget-store.port.ts';
import type { LoggedUsage } from './budgets/logged-usage.ts';
import { SavedTokenBudgets } from './budgets/saved-token-budgets.ts';
import { admitCommand } from './rate-limits/window-script.ts';
import { ModelToggles, ToolRecall } from './routing/account-routing.ts';
import { ConversationPins } from './routing/conversation-pins.ts';
import { ModelRouter } from './routing/model-router.ts';
import { Observations } from './routing/observations.ts';
import { RedisObservations } from './routing/redis-observations.adapter.ts';

/** How long rate limits and budgets wait for Redis before the process decides locally, in milliseconds. */
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
   * The part of the Redis cache that stores conversation state. Each account may fill only a limited share of the
   * Redis cache.
   */
  readonly conversationCache: AccountCache;
  /** The part of the Redis cache that stores encrypted reasoning, with a separate share for each account. */
  readonly reasoningCache: AccountCache;
}

/**
 * Opens the two parts of the Redis cache. One part stores conversation state (sent edits, tool sets, chosen
 * models), and the other part stores encrypted reasoning.
 */
export function openCaches(
  cacheRedis: Redis,
  { config, metrics }: { readonly config: Config; readonly metrics: Metrics },
): Caches {
  const refused = metrics.counter({
    name: 'gateway_cache_values_refused_total',
    help: 'Conversation state or encrypted reasoning that was not stored because the share of its account in the cache was used up.',
  });
  const open = (purpose: string): AccountCache =>
    new AccountCache(cacheRedis, {
      purpose,
      bytesPerDayMax: config.CACHE_BYTES_PER_ACCOUNT_MAX,
      onRefused: (values) => refused.inc(values),
    });
  return { cacheRedis, conversationCache: open('conversations'), reasoningCache: open('reasoning') };
}

export interface OpenBudgets {
  readonly budgets: SavedTokenBudgets;
  /** The connection to the Redis server of the job queue, which stores the token budgets. */
  readonly redis: Redis;
  /** Settles all unsettled tokens, then disconnects. */
  readonly close: () => Promise<void>;
}

/** Opens the store of token budgets. A request waits for its budget no longer than `PLAN_DEADLINE_MS`. */
export function openBudgets(
  { REDIS_URL, PLAN_DEADLINE_MS }: Pick<Config, 'REDIS_URL' | 'PLAN_DEADLINE_MS'>,
  messaging: Messaging,
  log: Logger,
): OpenBudgets {
  const waitMs = Math.min(redisCommandMs, PLAN_DEADLINE_MS);
  const redis = connectRedis(REDIS_URL, log, waitMs);
  const store = new RedisBudgetStore(redis, randomUUID());
  const budgets = new SavedTokenBudgets({
    ...{ store, usageWaitMs: waitMs, log },
    readUsage: (accountId) => readLoggedUsage(messaging, accountId),
  });
  redis.on('ready', () => void budgets.checkStore());
  messaging.onBroadcast(accountChanged, ({ accountId, deleted }) => {
    if (deleted) budgets.forget(accountId);
  });
  const close = async (): Promise<void> => {
    await budgets.close();
    redis.disconnect();
  };
  return { budgets, redis, close };
}

/** Returns the net tokens that each API key of an account has saved on this UTC day and in this week. */
async function readLoggedUsage(messaging: Messaging, accountId: string): Promise<LoggedUsage> {
  const day = dayOf(Date.now());
  const to = new Date((day + 1) * dayMs).toISOString();
  const read = async (firstDay: number) => {
    const from = new Date(firstDay * dayMs).toISOString();
    return (await messaging.call(listKeyUsage, { accountId, from, to })).keys;
  };
  const [today, thisWeek] = await Promise.all([read(day), read(firstDayOfWeek(day))]);
  const savedToday = new Map(today.map((key) => [key.key_id, key.net_tokens_saved]));
  return new Map(
    thisWeek.map(({ key_id: keyId, net_tokens_saved: saved }) => [
      keyId,
      { day, today: savedToday.get(keyId) ?? 0, thisWeek: saved ?? 0 },
    ]),
  );
}

export interface OpenModelRouter {
  readonly modelRouter: ModelRouter;
  close(): void;
}

/**
 * Builds the model router with its stores. If Redis loses its data, the model router collects response times
 * and model choices again.
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
