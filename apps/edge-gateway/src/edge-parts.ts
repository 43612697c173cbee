import { AccountModels } from './routing/account-models.ts';
import { LiveModels, type LiveModelsOptions } from './routing/live-models.ts';
import { forgetAccountMemos } from '@gateway/contracts';
import { createSealingKeyPair, type Messaging, type SealingKeyPair } from '@gateway/messaging';
import { loadCatalog } from '@gateway/model-catalog';
import type { LineLog, Logger, Metrics } from '@gateway/observability';
import { createEgressGuard, type EgressGuard } from '@gateway/providers';
import type { Redis } from 'ioredis';
import { Admission } from './admission/admission.ts';
import { ByteLedger } from './admission/byte-ledger.ts';
import { BackendBook } from './backends/backend-book.ts';
import { forgetAccountKeys } from './cache/forget-account.ts';
import { RetryBudget } from './backends/retry-budget.ts';
import type { AccountLimits } from './access/rate-limit.guard.ts';
import type { Config } from './config.ts';
import {
  connectRedis,
  openBudgets,
  openCaches,
  openModelRouter,
  type Caches,
  type OpenBudgets,
} from './edge-stores.ts';
import { AccountSecrets } from './connections/account-secrets.ts';
import { createConnections } from './connections/connections.ts';
import { createAddressCheck } from './http/address-check.ts';
import { GrantCache } from './grants/grant-cache.ts';
import { OpenRequests } from './grants/open-requests.ts';
import { RedisEpochReader } from './grants/redis-epoch-reader.adapter.ts';
import {
  createEdgeMetrics,
  createResilienceMetrics,
  type ResilienceMetrics,
} from './metrics/edge-metrics.ts';
import { listOwnEndpoints, LoopGuard } from './loops/loop-guard.ts';
import { ContentKeeper } from './pipeline/contents/content-keeper.ts';
import type { PipelineServices } from './pipeline/services.ts';
import { RateCeiling } from './grants/rate-ceiling.ts';
import { RedisRateLimiter } from './rate-limits/redis-rate-limiter.adapter.ts';
import { ContextMemo } from './pipeline/stages/plan/context/context-memo.ts';
import { ContextPlanner } from './pipeline/stages/plan/context/context-planner.ts';
import { createCompressorClient } from './pipeline/stages/plan/context/nats-compressor.adapter.ts';
import { NatsPlanner } from './pipeline/stages/plan/router/nats-planner.adapter.ts';
import { ConversationPlanner } from './pipeline/stages/plan/conversation/conversation-planner.ts';
import { openBoundPlans } from './pipeline/stages/plan/conversation/bound-plans.ts';
import { ConversationMemo, FirstRequests } from './pipeline/stages/plan/conversation/conversation-memo.ts';
import { KeptReasoning } from './pipeline/stages/forward/kept-reasoning.ts';
import { PromptHasher } from './pipeline/stages/record/prompt-hasher.ts';
import { ToolTokens } from './pipeline/stages/validate/tool-tokens.ts';
import { KnownBodies } from './request/known-messages.ts';
import { TokenRatios } from './request/token-ratios.ts';
import { ToolListHasher } from './pipeline/stages/plan/router/tool-list-hasher.ts';
import type { RequestSpool } from './spool/request-spool.ts';
import { buildLoginParts, type LoginParts } from './login-parts.ts';
import { UndiciUpstream } from './upstream/undici-upstream.adapter.ts';

export const EDGE_PARTS = Symbol('EDGE_PARTS');

/** All services of the gateway, built once on startup. */
export interface EdgeParts extends LoginParts {
  readonly pipeline: PipelineServices;
  readonly sealingKeys: SealingKeyPair;
  readonly egressGuard: EgressGuard;
  readonly loops: LoopGuard;
  readonly rateCeiling: RateCeiling;
  readonly accountLimits: AccountLimits;
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

export function buildEdgeParts(surroundings: EdgeSurroundings): EdgeParts {
  const { config, messaging, log } = surroundings;
  const sealingKeys = createSealingKeyPair();
  const egressGuard = buildEgressGuard(config);
  const { caches, open, close: closeStores } = openStores(surroundings);
  const { loops, upstream } = openUpstream(config, egressGuard, open.redis, log);
  const rateCeiling = new RateCeiling(config.MAX_RATE_LIMIT_RPM);
  const resilience = buildResilience(surroundings);
  const router = openModelRouter(loadCatalog(), caches, messaging, log);
  const accountSecrets = new AccountSecrets();
  const connections = createConnections(messaging, sealingKeys, accountSecrets, resilience.backends);
  const contents = new ContentKeeper({ messaging, metrics: surroundings.metrics, log });
  const pipeline: PipelineServices = {
    ...buildLimits(caches.cacheRedis, rateCeiling, messaging, log),
    ...buildPlanning(config.PLAN_DEADLINE_MS, caches, messaging, log),
    ...resilience,
    ...buildModels({ connections, settings: chooseSettings(config), ...resilience, upstream, messaging }),
    knownBodies: new KnownBodies(),
    accountSecrets,
    modelRouter: router.modelRouter,
    budgets: open.budgets,
    upstream,
    spool: surroundings.spool,
    contents,
    messaging,
    metrics: createEdgeMetrics(surroundings.metrics),
    log,
    requestLog: surroundings.requestLog,
  };
  const login = buildLoginParts({ config, messaging, sealingKeys, egressGuard });
  const close = async (): Promise<void> => {
    await login.closeKeys();
    for (const each of [pipeline.openRequests, contents, router, loops]) each.close();
    await upstream.close();
    await closeStores();
  };
  const own = { sealingKeys, egressGuard, loops, rateCeiling, cacheRedis: caches.cacheRedis };
  return { ...own, ...login, pipeline, accountLimits: chooseAccountLimits(config), close };
}

/** Builds the model catalogues of accounts, together with the services that load their model lists. */
function buildModels(services: LiveModelsOptions & Pick<PipelineServices, 'messaging'>) {
  const [catalog, liveModels] = [loadCatalog(), new LiveModels(services)];
  const accountModels = new AccountModels({ catalog, liveModels, messaging: services.messaging });
  const { connections, settings } = services;
  return { connections, settings, catalog, liveModels, accountModels };
}

/** Connects to both Redis servers. Also serves requests to delete the Redis keys of deleted accounts. */
function openStores({ config, messaging, metrics, log }: EdgeSurroundings): {
  readonly caches: Caches;
  readonly open: OpenBudgets;
  readonly close: () => Promise<void>;
} {
  const cacheRedis = connectRedis(config.REDIS_CACHE_URL ?? config.REDIS_URL, log);
  const open = openBudgets(config, messaging, log);
  const accountKeys = { cache: cacheRedis, queue: open.redis };
  messaging.serve(forgetAccountMemos, (request) => forgetAccountKeys(accountKeys, request));
  const caches = openCaches(cacheRedis, { config, metrics });
  const close = async (): Promise<void> => {
    await open.close();
    cacheRedis.disconnect();
  };
  return { caches, open, close };
}

function chooseAccountLimits(config: Config): AccountLimits {
  return {
    read: config.ACCOUNT_READ_RPM,
    analytics: config.ACCOUNT_ANALYTICS_RPM,
    write: config.ACCOUNT_WRITE_RPM,
    export: config.ACCOUNT_EXPORT_RPM,
  };
}

function openUpstream(
  { UPSTREAM_TIMEOUT_MS: idleTimeoutMs }: Config,
  guard: EgressGuard,
  store: Redis,
  log: Logger,
): { loops: LoopGuard; upstream: UndiciUpstream } {
  const loops = new LoopGuard({ store, log });
  return { loops, upstream: new UndiciUpstream({ guard, idleTimeoutMs, loops }) };
}

function buildEgressGuard({
  EGRESS_ALLOW: allow,
  PORT,
  HEALTH_PORT,
  PUBLIC_URL,
  OWN_ORIGINS,
  SANDBOX_URL,
}: Config): EgressGuard {
  const ownOrigins = SANDBOX_URL === undefined ? [] : [SANDBOX_URL];
  const origins = PUBLIC_URL === undefined ? OWN_ORIGINS : [PUBLIC_URL, ...OWN_ORIGINS];
  const gateway = listOwnEndpoints({ origins, ports: [PORT, HEALTH_PORT] });
  return createEgressGuard({ allow, ownOrigins, gateway });
}

function chooseSettings(config: Config): PipelineServices['settings'] {
  return {
    // One request body may use at most a quarter of the memory for held bytes, so that copies of the body also fit.
    bodyBytesMax: Math.min(config.REQUEST_BODY_BYTES_MAX, Math.floor(config.HELD_BYTES_MAX / 4)),
    multipartBytesMax: config.MULTIPART_BODY_BYTES_MAX,
    planDeadlineMs: config.PLAN_DEADLINE_MS,
    sandboxUrl: config.SANDBOX_URL,
    retriesMax: config.UPSTREAM_RETRIES_MAX,
    retryAfterMsMax: config.UPSTREAM_RETRY_AFTER_MAX_MS,
    hedgeAfterMs: config.UPSTREAM_HEDGE_AFTER_MS,
    isTraceTrusted: createAddressCheck(config.TRUST_CLIENT_TRACES),
    firstByteMsMax: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
    plainAnswerMsMax: config.UPSTREAM_ANSWER_TIMEOUT_MS,
  };
}

/** Builds the services that limit the effects of failing providers and of overload. */
function buildResilience({
  config,
  messaging,
  metrics,
}: EdgeSurroundings): Pick<PipelineServices, 'admission' | 'backends' | 'retryBudget' | 'resilience'> {
  const resilience = createResilienceMetrics(metrics);
  return {
    resilience,
    admission: buildAdmission(config, resilience),
    backends: new BackendBook({ messaging, inFlightMax: config.UPSTREAM_IN_FLIGHT_MAX, metrics: resilience }),
    retryBudget: new RetryBudget({
      share: config.UPSTREAM_RETRY_BUDGET_SHARE,
      floor: config.UPSTREAM_RETRY_BUDGET_FLOOR,
    }),
  };
}

function buildAdmission(config: Config, metrics: ResilienceMetrics): Admission {
  const { ACCOUNT_SHARE_MAX: accountShare, ACCOUNT_REQUESTS_IN_FLIGHT_MAX: accountInFlightMax } = config;
  const shared = { accountShare, metrics };
  return new Admission({
    ...shared,
    inFlightMax: config.REQUESTS_IN_FLIGHT_MAX,
    ...(accountInFlightMax === undefined ? {} : { accountInFlightMax }),
    queuedMax: config.REQUESTS_QUEUED_MAX,
    waitMsMax: config.QUEUE_TIMEOUT_MS,
    memory: new ByteLedger({ ...shared, place: 'memory', capacity: config.HELD_BYTES_MAX }),
    disk: new ByteLedger({ ...shared, place: 'disk', capacity: config.HELD_DISK_BYTES_MAX }),
  });
}

/** Builds the API key grants, the registry of open requests, and the rate limiter. */
function buildLimits(
  cacheRedis: Redis,
  rateCeiling: RateCeiling,
  messaging: Messaging,
  log: Logger,
): Pick<PipelineServices, 'grants' | 'openRequests' | 'rateLimiter'> {
  const grants = new GrantCache(messaging, rateCeiling);
  return {
    grants,
    openRequests: new OpenRequests({ grants, epochs: new RedisEpochReader(cacheRedis), log }),
    rateLimiter: new RedisRateLimiter(cacheRedis, log),
  };
}

/** Builds the services that prune tools and compress the conversation. */
function buildPlanning(
  deadlineMs: number,
  { cacheRedis, conversationCache, reasoningCache }: Caches,
  messaging: Messaging,
  log: Logger,
): Pick<
  PipelineServices,
  | 'planner'
  | 'conversations'
  | 'boundPlans'
  | 'context'
  | 'keptReasoning'
  | 'toolLists'
  | 'tokenRatios'
  | 'toolTokens'
  | 'promptHasher'
> {
  const memo = new ContextMemo(conversationCache, log);
  const planner = new NatsPlanner(messaging, deadlineMs);
  const conversations = new ConversationPlanner({
    planner,
    memo: new ConversationMemo(conversationCache, log),
    catalog: loadCatalog(),
    firstRequests: new FirstRequests(cacheRedis, log),
    hasRecovery: true,
  });
  return {
    planner,
    conversations,
    boundPlans: openBoundPlans(conversationCache, messaging, log),
    context: new ContextPlanner(createCompressorClient(messaging, deadlineMs), memo, log),
    keptReasoning: new KeptReasoning(reasoningCache, log),
    toolLists: new ToolListHasher(),
    tokenRatios: new TokenRatios(),
    promptHasher: new PromptHasher(),
    toolTokens: new ToolTokens(messaging),
  };
}
