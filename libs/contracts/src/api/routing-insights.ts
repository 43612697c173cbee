import { z } from 'zod';
import { count, timestamp } from '../base/common.ts';
import { recallTarget } from './routing-preferences.ts';
import { listOf } from '../base/list.ts';
import { routingTrace } from './request-log.ts';

const share = z.number().min(0).max(1);

/** Observed recall with its exact one-sided 95% bounds. */
const boundedRecall = z.object({ value: share, low: share, high: share });

const calibrationBucket = z.object({
  /** `<intent>:<list-size band>`. `*` in place of the intent means all intents. */
  bucket: z.string(),
  /** Shadow conversations in which the model called tools. */
  samples: count,
  /**
   * `calibrated`: K is measured. `prior`: there are too few samples, and the shipped priors apply. `off`:
   * recall fell or was too low, and all tools are forwarded until enough new samples support a K.
   */
  basis: z.enum(['calibrated', 'prior', 'off']),
  /** Minimum number of conversations still needed; 0 when calibrated. */
  samples_needed: count,
  /** By K (as text): recall if K of the scored tools had been forwarded. */
  recall_at: z.record(z.string(), boundedRecall),
  /** K of the policy divided by the mean list length, 0 to 1; null without a measured K. */
  kept_share: share.nullable(),
  /** Time at which sampling restarted because recall fell; null if it never did. */
  restarted_at: timestamp.nullable(),
});

/** The results of shadow conversations, and the K derived from them. */
export const routingCalibration = z.object({
  object: z.literal('routing.calibration'),
  recall_target: recallTarget,
  /** `c1`, `c2` and so on; null before the first shadow conversation. */
  version: z.string().nullable(),
  /** Buckets with a measured K. `threshold` is the lower bound of its recall, and is at least the target. */
  policy: z.array(z.object({ bucket: z.string(), k: z.int().min(1), threshold: share })),
  /** The bucket with the most samples first. */
  buckets: z.array(calibrationBucket),
  updated_at: timestamp.nullable(),
});
export type RoutingCalibration = z.infer<typeof routingCalibration>;

export const tracesQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(50) });

/** A tool decision with its best candidates and the called candidates. */
export const recentRoutingTrace = routingTrace.extend({
  /** Total number of candidates. The request's detail lists all of them. */
  candidates_total: count,
});
export type RecentRoutingTrace = z.infer<typeof recentRoutingTrace>;
export const recentRoutingTraceList = listOf(recentRoutingTrace);

const model = z.object({ provider: z.string(), model_id: z.string() });

/** What the request log shows about an account's models. Each list has at most five entries, best first. */
export const routingInsights = z.object({
  object: z.literal('routing.insights'),
  from: timestamp,
  to: timestamp,
  /** Models with fewer samples are excluded from `best_recall` and `fastest`. */
  samples_min: count,
  /**
   * `samples`: requests with pruned tools and tool calls. `tool_recall`: the share of them in which no called
   * tool was pruned.
   */
  best_recall: z.array(model.extend({ tool_recall: share, samples: count })),
  /** By the median time to the first token of streamed requests. */
  fastest: z.array(model.extend({ first_token_p50_ms: z.number().nonnegative(), samples: count })),
  /** `share`: the share of all requests that reached a model. */
  most_used: z.array(model.extend({ requests: count, share })),
});
export type RoutingInsights = z.infer<typeof routingInsights>;
