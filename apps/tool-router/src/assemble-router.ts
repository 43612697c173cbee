import type { ServiceParts } from '@gateway/messaging';
import type { Metrics } from '@gateway/observability';
import type { ToolRouterConfig } from './config.ts';
import { ToolIntake } from './define-tools/tool-intake.ts';
import { ToolMemory } from './define-tools/tool-memory.adapter.ts';
import { ToolEmbedding } from './embed-tools/embed-tools.ts';
import { keywordPrior } from './plan-tools/keyword-prior.ts';
import { PlanMetrics } from './plan-tools/plan-metrics.ts';
import { ToolPlanner } from './plan-tools/plan-tools.ts';
import { NatsRoutingPolicies } from './plan-tools/routing-policies.adapter.ts';
import { semanticPrior } from './plan-tools/semantic-prior.ts';
import { openRanking } from './ranking/open-ranking.ts';
import type { ToolRouterParts } from './tool-router.module.ts';
import { connectVectorRedis, RedisVectors } from './vectors/redis-vectors.adapter.ts';
import { noSharedVectors } from './vectors/shared-vectors.port.ts';

const mebibyte = 1024 * 1024;
/** What the router keeps beside what ranking does (`ranking/open-ranking.ts`); all of it can be made again. */
const definitionsBytesMax = 32 * mebibyte;
const listsBytesMax = 32 * mebibyte;

/** Builds the router from its configuration, and opens the models. */
export async function assembleRouter(
  config: ToolRouterConfig,
  { messaging, logger, metrics }: ServiceParts,
): Promise<ToolRouterParts> {
  const memory = new ToolMemory({ definitionsBytesMax, listsBytesMax });
  showMemory(metrics, memory);
  const redis =
    config.REDIS_CACHE_URL === undefined ? undefined : connectVectorRedis(config.REDIS_CACHE_URL, logger);
  const ranking = await openRanking({
    encoderDir: config.ROUTER_ENCODER_DIR,
    rerankerDir: config.ROUTER_RERANKER_DIR === 'none' ? null : config.ROUTER_RERANKER_DIR,
    threads: config.ROUTER_INFERENCE_THREADS,
    budgetMs: config.ROUTER_SEMANTIC_BUDGET_MS,
    shared: redis === undefined ? noSharedVectors : new RedisVectors(redis, logger),
    logger,
    metrics,
    onForgotten: (listHash, hashes) => memory.forget(listHash, hashes),
  });
  const planner = new ToolPlanner({
    lists: memory,
    ranker: ranking.ranker,
    priors: { keyword: keywordPrior, semantic: semanticPrior },
    policies: new NatsRoutingPolicies(messaging, logger),
    instanceId: config.INSTANCE_ID,
  });
  return {
    planner,
    definitions: new ToolIntake({ memory, learn: ranking.learn }),
    embedding: new ToolEmbedding(ranking.inference),
    metrics: new PlanMetrics(metrics),
    close: async () => {
      redis?.disconnect();
      await ranking.close();
    },
  };
}

function showMemory(metrics: Metrics, memory: ToolMemory): void {
  metrics.gauge({
    name: 'tool_router_definitions',
    help: 'Tool definitions in memory.',
    collect: () => memory.definitions,
  });
  metrics.gauge({ name: 'tool_router_lists', help: 'Tool lists in memory.', collect: () => memory.lists });
}
