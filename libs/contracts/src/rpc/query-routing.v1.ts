import { z } from 'zod';
import { routingCalibration, recentRoutingTrace } from '../api/routing-insights.ts';
import { recallAlert, toolHealth, toolSuggestion } from '../api/tool-health.ts';
import { count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 10_000 } as const;
/** Covers requests from `from` (inclusive) to `to` (exclusive). */
const span = z.object({ accountId: id, from: timestamp, to: timestamp });
const page = span.extend({ limit: z.int().min(1).max(500), offset: count });

/** Newest first. */
export const listRoutingTraces = defineRpc({
  ...common,
  subject: 'worker.list-routing-traces.v1',
  request: span.extend({ limit: z.int().min(1).max(100) }),
  reply: z.object({ traces: z.array(recentRoutingTrace) }),
});

const ms = z.number().nullable();

/**
 * Figures for a model, from the requests that reached it. Latencies are in milliseconds and include only
 * requests with the status `ok`; null without any.
 */
export const modelObservation = z.object({
  provider: z.string(),
  model: z.string(),
  requests: count,
  /** Number of requests that were neither cancelled nor interrupted. The error rate is based on it. */
  ended: count,
  /** Number of requests with the status `error` or `truncated`. */
  failed: count,
  /** Number of streamed requests with a first token. The time-to-first-token percentiles are based on it. */
  streamed: count,
  first_token_p50_ms: ms,
  first_token_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  /**
   * Number of requests with pruned tools in which the model called or requested a tool, and in how many of them
   * every such tool was served. A recovered tool counts as served.
   */
  judged: count,
  recalled: count,
});
export type ModelObservation = z.infer<typeof modelObservation>;

/** Most used models first; at most 500. */
export const observeModels = defineRpc({
  ...common,
  subject: 'worker.observe-models.v1',
  request: span,
  reply: z.object({ models: z.array(modelObservation) }),
});

/**
 * The current policy and its measurements. `recallTarget` comes from the account's preferences; the reply has the
 * target that the policy was made for.
 */
export const describeCalibration = defineRpc({
  ...common,
  subject: 'worker.describe-calibration.v1',
  request: z.object({ accountId: id, recallTarget: z.number() }),
  reply: z.object({
    version: routingCalibration.shape.version,
    recallTarget: routingCalibration.shape.recall_target,
    recoveryRate: routingCalibration.shape.recovery_rate,
    updatedAt: timestamp.nullable(),
    policy: routingCalibration.shape.policy,
    buckets: routingCalibration.shape.buckets,
  }),
});

/** Most frequently offered tools first. */
export const listToolHealth = defineRpc({
  ...common,
  subject: 'worker.list-tool-health.v1',
  request: page,
  reply: z.object({ total: count, requestsConsidered: count, tools: z.array(toolHealth) }),
});

/** Suggestions with the most evidence first. */
export const listToolSuggestions = defineRpc({
  ...common,
  subject: 'worker.list-tool-suggestions.v1',
  request: page,
  reply: z.object({ total: count, requestsConsidered: count, suggestions: z.array(toolSuggestion) }),
});

/** Newest first. */
export const listRecallAlerts = defineRpc({
  ...common,
  subject: 'worker.list-recall-alerts.v1',
  request: page,
  reply: z.object({ total: count, alerts: z.array(recallAlert) }),
});
