import { z } from 'zod';
import { routingCalibration, recentRoutingTrace } from '../api/routing-insights.ts';
import { count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;
/** A time range from `from` (inclusive) to `to` (exclusive). */
const span = z.object({ accountId: id, from: timestamp, to: timestamp });

/** Lists routing traces, newest first. */
export const listRoutingTraces = defineRpc({
  ...common,
  subject: 'worker.list-routing-traces.v1',
  request: span.extend({ limit: z.int().min(1).max(100) }),
  reply: z.object({ traces: z.array(recentRoutingTrace) }),
});

const ms = z.number().nullable();

/**
 * Figures for a model, from the requests that reached the model. Latencies are in milliseconds and include
 * only requests with the status `ok`. A latency is null if no request has the status `ok`.
 */
export const modelObservation = z.object({
  provider: z.string(),
  model: z.string(),
  requests: count,
  /**
   * Number of requests that were neither cancelled nor interrupted. The error rate counts only requests that
   * were neither cancelled nor interrupted.
   */
  ended: count,
  /** Number of requests with the status `error` or `truncated`. */
  failed: count,
  /**
   * Number of streamed requests with a first token. The percentiles of the time to first token count only
   * streamed requests with a first token.
   */
  streamed: count,
  first_token_p50_ms: ms,
  first_token_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  /**
   * `judged` counts requests with pruned tools in which the model called or requested a tool. `recalled`
   * counts the judged requests in which every called or requested tool was forwarded or recovered.
   */
  judged: count,
  recalled: count,
});
export type ModelObservation = z.infer<typeof modelObservation>;

/** Lists models, most used first, at most 500. */
export const observeModels = defineRpc({
  ...common,
  subject: 'worker.observe-models.v1',
  request: span,
  reply: z.object({ models: z.array(modelObservation) }),
});

/**
 * Reads the current policy and its measurements. `recallTarget` comes from the account's preferences. The
 * reply also contains the recall target for which the policy was made.
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
