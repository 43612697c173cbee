import { z } from 'zod';
import { count, timestamp } from '../base/common.ts';
import { recallTarget } from './routing-preferences.ts';
import { listOf } from '../base/list.ts';
import { routingTrace } from './request-log.ts';

const share = z.number().min(0).max(1);

/** Recall as it was seen, and its exact one-sided 95% bounds. */
const boundedRecall = z.object({ value: share, low: share, high: share });

const calibrationBucket = z.object({
  /** `<intent>:<list-size band>`; with `*` for the intent, over all of them. */
  bucket: z.string(),
  /** Shadow sessions in which tools were called. */
  samples: count,
  /**
   * `calibrated`: K is measured. `prior`: there are too few samples, and shipped priors hold. `off`: recall fell or was too low,
   * and everything is forwarded until enough new samples show a K that suffices.
   */
  basis: z.enum(['calibrated', 'prior', 'off']),
  /** How many more sessions it takes at the least; 0 when calibrated. */
  samples_needed: count,
  /** By K, as text: had K of the scored tools been forwarded. */
  recall_at: z.record(z.string(), boundedRecall),
  /** K of the policy by the mean length of the lists; null without one. */
  kept_share: share.nullable(),
  /** When samples began to be counted anew, because recall had fallen. */
  restarted_at: timestamp.nullable(),
});

/** What shadow sessions showed, and the K that follows. */
export const routingCalibration = z.object({
  object: z.literal('routing.calibration'),
  recall_target: recallTarget,
  /** `c1`, `c2` and so on; null before the first shadow session. */
  version: z.string().nullable(),
  /** Buckets with a measured K. `threshold` is the lower bound of its recall, which is at least the target. */
  policy: z.array(z.object({ bucket: z.string(), k: z.int().min(1), threshold: share })),
  /** The one with the most samples first. */
  buckets: z.array(calibrationBucket),
  updated_at: timestamp.nullable(),
});
export type RoutingCalibration = z.infer<typeof routingCalibration>;

export const tracesQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(50) });

/** One decision about tools, with its best candidates and those that were called. */
export const recentRoutingTrace = routingTrace.extend({
  /** How many candidates there were: the request's detail lists them all. */
  candidates_total: count,
});
export type RecentRoutingTrace = z.infer<typeof recentRoutingTrace>;
export const recentRoutingTraceList = listOf(recentRoutingTrace);

const model = z.object({ provider: z.string(), model_id: z.string() });

/** What the log showed of an account's models. Each list has the best first, five at most. */
export const routingInsights = z.object({
  object: z.literal('routing.insights'),
  from: timestamp,
  to: timestamp,
  /** Models with fewer samples are in neither `best_recall` nor `fastest`. */
  samples_min: count,
  /** `samples` are requests that had tools left out and tools called; `tool_recall`: none of those called was left out. */
  best_recall: z.array(model.extend({ tool_recall: share, samples: count })),
  /** By the median of the first token, over streamed requests. */
  fastest: z.array(model.extend({ first_token_p50_ms: z.number().nonnegative(), samples: count })),
  /** `share` is of all requests that reached a model. */
  most_used: z.array(model.extend({ requests: count, share })),
});
export type RoutingInsights = z.infer<typeof routingInsights>;
