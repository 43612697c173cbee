import { setFlagsFromString } from 'node:v8';
import { AccountCache } from '@gateway/messaging';
import type { ServiceParts } from '@gateway/messaging/run-service';
import type { Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { secondEncoderDir, type ToolRouterConfig } from './config.ts';
import { ToolMemory } from './tool-index/tool-memory.ts';
import { NatsRoutingPolicies } from './policy/routing-policies.adapter.ts';
import { openRanking } from './ranking/open-ranking.ts';
import { openRouterShares } from './shares/router-shares.ts';
import type { ToolRouterParts } from './tool-router.module.ts';
import { connectVectorRedis, RedisVectors } from './vectors/redis-vectors.adapter.ts';
import { noSharedVectors } from './vectors/shared-vectors.port.ts';

const mebibyte = 1024 * 1024;
/**
 * Memory limits of the router, in addition to the limits of the ranking caches (`ranking/open-ranking.ts`).
 * The router can rebuild all of its cached data.
 */
const definitionsBytesMax = 32 * mebibyte;
const listsBytesMax = 32 * mebibyte;

/**
 * Percentage by which the heap may grow beyond the live objects before a full garbage collection. V8's default
 * depends on the machine's memory, and can allow a heap several times as large as the live objects. The
 * router's caches are bounded, so a larger heap would contain mostly garbage. `npm run bench:router` measures
 * the memory for 100,000 new tools. A low percentage causes more frequent garbage collection, so new tool lists
 * take slightly longer to index. Requests with known tool lists do not become slower.
 */
const heapGrowingPercent = 30;

/**
 * Sets V8's heap growth limit for the whole process. Callers must call this function before any cache is used.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
}

/** Builds the router's components from the configuration and loads the models. */
export async function assembleRouter(
  config: ToolRouterConfig,
  { messaging, logger, metrics }: ServiceParts,
): Promise<ToolRouterParts> {
  const memory = new ToolMemory({ definitionsBytesMax, listsBytesMax });
  showMemory(metrics, memory);
  const redis =
    config.REDIS_CACHE_URL === undefined ? undefined : connectVectorRedis(config.REDIS_CACHE_URL, logger);
  const shares = openRouterShares(metrics);
  const ranking = await openRanking({
    encoderDir: config.ROUTER_ENCODER_DIR,
    secondEncoderDir: secondEncoderDir(config),
    rerankerDir: config.ROUTER_RERANKER_DIR === 'none' ? null : config.ROUTER_RERANKER_DIR,
    threads: config.ROUTER_INFERENCE_THREADS,
    budgetMs: config.ROUTER_SEMANTIC_BUDGET_MS,
    shares,
    shared:
      redis === undefined
        ? noSharedVectors
        : new RedisVectors(redis, openVectorCache(redis, config, metrics), logger),
    logger,
    metrics,
    onForgotten: (listHash, hashes) => memory.forget(listHash, hashes),
  });
  return {
    memory,
    ranking,
    share: shares.loop,
    policies: new NatsRoutingPolicies(messaging, logger),
    metrics,
    instanceId: config.INSTANCE_ID,
    close: async () => {
      redis?.disconnect();
      await ranking.close();
    },
  };
}

/** A vector that does not fit into the shared cache is computed by each replica. */
function openVectorCache(redis: Redis, config: ToolRouterConfig, metrics: Metrics): AccountCache {
  const refused = metrics.counter({
    name: 'tool_router_cache_values_refused_total',
    help: 'Tool vectors that were not shared between replicas because the share of their account in the cache was used up.',
  });
  return new AccountCache(redis, {
    purpose: 'vectors',
    bytesPerDayMax: config.ROUTER_VECTOR_BYTES_PER_ACCOUNT_MAX,
    onRefused: (values) => refused.inc(values),
  });
}

function showMemory(metrics: Metrics, memory: ToolMemory): void {
  metrics.gauge({
    name: 'tool_router_definitions',
    help: 'Tool definitions in memory.',
    collect: () => memory.definitions,
  });
  metrics.gauge({ name: 'tool_router_lists', help: 'Tool lists in memory.', collect: () => memory.lists });
}
