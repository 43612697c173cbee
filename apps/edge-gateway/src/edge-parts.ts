import { createSealingKeyPair, type Messaging, type SealingKeyPair } from '@gateway/messaging';
import { loadCatalog } from '@gateway/model-catalog';
import { secretRedactor, type LineLog, type Logger, type Metrics } from '@gateway/observability';
import { createEgressGuard, type EgressGuard } from '@gateway/providers';
import { Redis } from 'ioredis';
import type { Config } from './config.ts';
import { createConnections } from './connections/connections.ts';
import { GrantCache } from './grants/grant-cache.ts';
import { createEdgeMetrics } from './metrics/edge-metrics.ts';
import type { PipelineServices } from './pipeline/services.ts';
import { OpenRequests } from './grants/open-requests.ts';
import { RedisEpochReader } from './grants/redis-epoch-reader.adapter.ts';
import { RedisRateLimiter } from './pipeline/stages/limit/redis-rate-limiter.adapter.ts';
import { NatsPlanner } from './pipeline/stages/plan/nats-planner.adapter.ts';
import { ToolListIndex } from './pipeline/stages/plan/tool-list-index.ts';
import type { RequestSpool } from './spool/request-spool.ts';
import { buildSessionGate } from './sessions/build-session-gate.ts';
import type { SessionGate } from './sessions/session-gate.ts';
import { UndiciUpstream } from './upstream/undici-upstream.adapter.ts';

/** Everything that the gateway's routes need, built once. */
export interface EdgeParts {
  readonly pipeline: PipelineServices;
  readonly sealingKeys: SealingKeyPair;
  readonly sessions: SessionGate;
  readonly egressGuard: EgressGuard;
  readonly cacheRedis: Redis;
  close(): Promise<void>;
}

export interface EdgeSurroundings {
  readonly config: Config;
  readonly messaging: Messaging;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly requestLog: LineLog;
  readonly spool: RequestSpool;
}

export function buildEdgeParts({
  config,
  messaging,
  metrics,
  log,
  requestLog,
  spool,
}: EdgeSurroundings): EdgeParts {
  const sealingKeys = createSealingKeyPair();
  const egressGuard = createEgressGuard({ allow: config.EGRESS_ALLOW });
  const cacheRedis = connectCacheRedis(config.REDIS_CACHE_URL ?? config.REDIS_URL, log);
  const upstream = new UndiciUpstream({ guard: egressGuard, idleTimeoutMs: config.UPSTREAM_TIMEOUT_MS });
  const pipeline: PipelineServices = {
    settings: {
      bodyBytesMax: config.REQUEST_BODY_BYTES_MAX,
  const grants = new GrantCache(messaging);
  const openRequests = new OpenRequests({ grants, epochs: new RedisEpochReader(cacheRedis), log });
      planDeadlineMs: config.PLAN_DEADLINE_MS,
      sandboxUrl: config.SANDBOX_URL,
    },
    grants,
    openRequests,
    connections: createConnections(messaging, sealingKeys, (secret) => secretRedactor.register(secret)),
    catalog: loadCatalog(),
    rateLimiter: new RedisRateLimiter(cacheRedis, log),
    planner: new NatsPlanner(messaging, config.PLAN_DEADLINE_MS),
    toolLists: new ToolListIndex(),
    upstream,
    spool,
    messaging,
    metrics: createEdgeMetrics(metrics),
    log,
    requestLog,
  };
  const { sessions, closeSessions } = buildSessionGate(config, messaging, egressGuard);
  const close = async (): Promise<void> => {
    await closeSessions();
    await upstream.close();
    cacheRedis.disconnect();
  };
  return { pipeline, sealingKeys, sessions, egressGuard, cacheRedis, close };
    openRequests.close();
}

/** A command that Redis does not answer soon fails: the request path never waits for a reconnection. */
function connectCacheRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: 250,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  redis.on('error', (error) => log.debug({ err: error }, 'cache redis'));
  return redis;
}
