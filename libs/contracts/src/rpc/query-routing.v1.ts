import { z } from 'zod';
import { routingCalibration, recentRoutingTrace } from '../api/routing-insights.ts';
import { count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;
/** A time range from `from` (inclusive) to `to` (exclusive). */
const span = z.object({ accountId: id, from: timestamp, to: timestamp });

/** Lists routing traces, newest first. Workers of the previous release ignore the filters. */
export const listRoutingTraces = defineRpc({
  ...common,
  subject: 'worker.list-routing-traces.v1',
  request: span.extend({
    limit: z.int().min(1).max(100),
    offset: count.default(0),
    intent: z.string().optional(),
    reason: z.string().optional(),
    /** The name of a called tool. */
    tool: z.string().optional(),
  }),
  reply: z.object({ traces: z.array(recentRoutingTrace) }),
});

const ms = z.number().nullable();

/**
 * Statistics for a model, from the requests that were sent to the model. Latencies are in milliseconds and
 * include only requests with the status `ok`. A latency is null if no request has the status `ok`.
 */
export const modelObservation = z.object({
  provider: z.string(),
  model: z.string(),
  requests: count,
  /** Number of requests that succeeded or failed. The error rate is computed only from these requests. */
  ended: count,
  /** Number of requests with status `error` or `truncated`. */
  failed: count,
  /**
   * Number of streamed requests that received a first token. The percentiles of the time to first token are
   * computed only from these requests.
   */
  streamed: count,
  first_token_p50_ms: ms,
  first_token_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  /**
   * `judged` counts requests with pruned tools in which the model called or requested a tool. `recalled` is
   * the number of these requests in which every called or requested tool was forwarded or recovered.
   */
  judged: count,
  recalled: count,
});
export type ModelObservation = z.infer<typeof modelObservation>;

/** Lists at most 500 models, most used first. */
export const observeModels = defineRpc({
  ...common,
  subject: 'worker.observe-models.v1',
  request: span,
  reply: z.object({ models: z.array(modelObservation) }),
});

/**
 * Reads the current policy and its measurements. `recallTarget` comes from the account's preferences. The
 * reply also contains the recall target that the policy was computed for.
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
