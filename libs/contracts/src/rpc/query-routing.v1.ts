import { z } from 'zod';
import { routingCalibration, recentRoutingTrace } from '../api/routing-insights.ts';
import { recallAlert, toolHealth, toolSuggestion } from '../api/tool-health.ts';
import { count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 10_000 } as const;
/** From `from` (inclusive) to `to` (exclusive). */
const span = z.object({ accountId: id, from: timestamp, to: timestamp });
const page = span.extend({ limit: z.int().min(1).max(500), offset: count });

/** The newest first. */
export const listRoutingTraces = defineRpc({
  ...common,
  subject: 'worker.list-routing-traces.v1',
  request: span.extend({ limit: z.int().min(1).max(100) }),
  reply: z.object({ traces: z.array(recentRoutingTrace) }),
});

const ms = z.number().nullable();

/** What requests that reached a model showed of it. Milliseconds are of requests that ended `ok`; null without any. */
export const modelObservation = z.object({
  provider: z.string(),
  model: z.string(),
  requests: count,
  /** Of these a share may have failed: neither cancelled nor interrupted. */
  ended: count,
  /** Status `error` or `truncated`. */
  failed: count,
  /** Streamed requests with a first token, over which its percentiles are. */
  streamed: count,
  first_token_p50_ms: ms,
  first_token_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  /** Requests that had tools left out and tools called, and those among them where none that was called was left out. */
  judged: count,
  recalled: count,
});
export type ModelObservation = z.infer<typeof modelObservation>;

/** The most used first; 500 models at most. */
export const observeModels = defineRpc({
  ...common,
  subject: 'worker.observe-models.v1',
  request: span,
  reply: z.object({ models: z.array(modelObservation) }),
});

/** The policy in force, and what it was measured from. `recallTarget` is the account's, as its preferences say. */
export const describeCalibration = defineRpc({
  ...common,
  subject: 'worker.describe-calibration.v1',
  request: z.object({ accountId: id, recallTarget: z.number() }),
  reply: z.object({
    version: routingCalibration.shape.version,
    updatedAt: timestamp.nullable(),
    policy: routingCalibration.shape.policy,
    buckets: routingCalibration.shape.buckets,
  }),
});

/** The most often offered first. */
export const listToolHealth = defineRpc({
  ...common,
  subject: 'worker.list-tool-health.v1',
  request: page,
  reply: z.object({ total: count, requestsConsidered: count, tools: z.array(toolHealth) }),
});

/** The one with the most evidence first. */
export const listToolSuggestions = defineRpc({
  ...common,
  subject: 'worker.list-tool-suggestions.v1',
  request: page,
  reply: z.object({ total: count, requestsConsidered: count, suggestions: z.array(toolSuggestion) }),
});

/** The newest first. */
export const listRecallAlerts = defineRpc({
  ...common,
  subject: 'worker.list-recall-alerts.v1',
  request: page,
  reply: z.object({ total: count, alerts: z.array(recallAlert) }),
});
