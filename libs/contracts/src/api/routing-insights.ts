import { z } from 'zod';
import { count, keepable, timestamp } from '../base/common.ts';
import { recallTarget } from './routing-preferences.ts';
import { listOf } from '../base/list.ts';
import { routingTrace } from './request-log.ts';

const share = z.number().min(0).max(1);

/** Observed recall with exact one-sided 95% bounds. */
const boundedRecall = z.object({ value: share, low: share, high: share });

/**
 * The recovery rate ρ is the share of needed but pruned tools that the model reaches through recovery. Plans
 * use the rate in `used`. The rate in `used` is a prior until enough conversations have been measured. After
 * enough measurements, the rate in `used` is the lower bound of the measured rate.
 */
const recoveryRateShown = z.object({
  used: share,
  source: z.enum(['prior', 'measured']),
  /** The measured recovery rate. Null until the model calls a pruned tool in a shadow conversation. */
  measured: boundedRecall.nullable(),
  pruned_conversations: count,
  recovered_tools: count,
  shadow_conversations: count,
  missed_tools: count,
});

/** A bucket's measurements with account heads. The measured conversations are newer than those that trained the heads. */
const learnedBucket = z.object({
  used: z.boolean().meta({
    description: 'Whether new conversations are ranked with learning, because K is then smaller.',
    examples: [true],
  }),
  /** Workers from the previous release do not send `decided_by`. */
  decided_by: z
    .string()
    .nullable()
    .default(null)
    .meta({
      description:
        "The bucket that provides the measurements with learning. This is either the bucket itself or the size band's bucket for all intents.",
      examples: ['*:51-100'],
    }),
  samples: count,
  /** The time of the first conversation that was measured with learning. */
  since: timestamp,
  k: z.int().min(1).nullable(),
  k_without_recovery: z.int().min(1).nullable(),
  forwarded_recall: boundedRecall.nullable(),
  effective_recall: boundedRecall.nullable(),
});

const calibrationBucket = z.object({
  /** The bucket, as `<intent>:<size band>`. An `*` in place of the intent stands for all intents. */
  bucket: z.string(),
  /** Number of shadow conversations in which the model called tools. */
  samples: count,
  /**
   * The source of the bucket's K. The value `calibrated` means that K was derived from measurements. The
   * value `prior` means that there are too few samples, so the priors apply. The value `off` means that
   * recall dropped or was too low. With `off`, all tools are forwarded until enough new samples exist.
   */
  basis: z.enum(['calibrated', 'prior', 'off']),
  /**
   * The reason for the value of `basis`. `target_met` means that K meets the target. `too_few_samples` means
   * that there are too few measurements. `recall_fell` means that recall dropped. `target_missed` means that
   * even the upper bound of recall was below the target.
   */
  reason: z.enum(['target_met', 'too_few_samples', 'recall_fell', 'target_missed']),
  /**
   * The bucket that provides the measurements. This is either the bucket itself or the size band's bucket for
   * all intents.
   */
  decided_by: z.string(),
  /**
   * The number of tools that the gateway forwards because of their rank. Null if the bucket's K was not
   * derived from measurements.
   */
  k: z.int().min(1).nullable(),
  /**
   * The value of K for requests in which pruned tools cannot be recovered. Null if the value of K without
   * recovery is unknown.
   */
  k_without_recovery: z.int().min(1).nullable(),
  /**
   * Expected recall if the best `k` tools are forwarded. `forwarded_recall` is null if the bucket's K was not
   * measured.
   */
  forwarded_recall: boundedRecall.nullable(),
  /**
   * Expected recall if the best `k` tools are forwarded and pruned tools can be recovered. `effective_recall`
   * is null if the bucket's K was not measured.
   */
  effective_recall: boundedRecall.nullable(),
  recovery_rate: recoveryRateShown,
  /** Minimum number of further conversations needed to measure K. `samples_needed` is 0 after K has been measured. */
  samples_needed: count,
  /** The measured recall for each possible K. The keys of the object are values of K, as strings. */
  recall_at: z.record(z.string(), boundedRecall),
  /** The policy's K divided by the mean length of the tool list, from 0 to 1. Null if no K is measured. */
  kept_share: share.nullable(),
  /**
   * The reason and start of a recall retest, during which more conversations are shadow conversations. Null
   * if recall is not being retested. `recoveries_rose` means that pruned tools are recovered more often than
   * before. `setup_changed` means that the tool list, the model or the ranker changed. `since` is the start
   * time of the first conversation to which `reason` applies.
   */
  retest: z
    .object({ reason: z.enum(['recoveries_rose', 'setup_changed']), since: timestamp })
    .nullable()
    .meta({
      description:
        'The renewed recall test, which uses more shadow conversations. The reason `recoveries_rose` means that pruned tools are recovered more often. The reason `setup_changed` means that the tool list, the model or the ranker changed. Null if recall is not being retested.',
      examples: [{ reason: 'setup_changed', since: '2026-11-20T12:00:00.000Z' }],
    }),
  /** The time when sampling restarted because recall dropped. Null if recall never dropped. */
  restarted_at: timestamp.nullable(),
  /** Workers from the previous release do not send `learning`. */
  learning: learnedBucket
    .nullable()
    .default(null)
    .meta({
      description:
        'The measurements with learning. K without learning is `k`. Null if no shadow conversation was measured with learning yet.',
      examples: [null],
    }),
});

/** Measurements from shadow conversations, and the value of K derived from them. */
export const routingCalibration = z.object({
  object: z.literal('routing.calibration'),
  /** The recall target that the routing policy was computed for. */
  recall_target: recallTarget,
  /** The recovery rate across all of the account's buckets. */
  recovery_rate: recoveryRateShown,
  /** The policy version (`c1`, `c2` and so on). Null before the first shadow conversation. */
  version: z.string().nullable(),
  /**
   * Buckets for which K was derived from measurements. `threshold` is the lower bound of effective recall,
   * and is never below the recall target.
   */
  policy: z.array(z.object({ bucket: z.string(), k: z.int().min(1), threshold: share })),
  /** Buckets sorted by number of samples, descending. */
  buckets: z.array(calibrationBucket),
  updated_at: timestamp.nullable(),
});
export type RoutingCalibration = z.infer<typeof routingCalibration>;

export const tracesQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset: z.coerce.number().int().min(0).default(0),
  intent: keepable(z.string().min(1).max(64))
    .optional()
    .meta({
      description: 'Only decisions with this intent.',
      examples: ['act'],
    }),
  k_reason: keepable(z.string().min(1).max(64))
    .optional()
    .meta({
      description: 'Only decisions with this reason.',
      examples: ['calibrated'],
    }),
  tool: keepable(z.string().min(1).max(256))
    .optional()
    .meta({
      description: 'Only decisions for requests in which the model called or recovered this tool.',
      examples: ['get_weather'],
    }),
});

/** A decision about a request's tools, with the highest-ranked tools and all called tools. */
export const recentRoutingTrace = routingTrace.extend({
  /** Total number of ranked tools. The request detail lists all ranked tools. */
  candidates_total: count,
});
export type RecentRoutingTrace = z.infer<typeof recentRoutingTrace>;
export const recentRoutingTraceList = listOf(recentRoutingTrace);

const model = z.object({ provider: z.string(), model_id: z.string() });

/** An account's model statistics, computed from the request log. Each list has at most five entries, best first. */
export const routingInsights = z.object({
  object: z.literal('routing.insights'),
  from: timestamp,
  to: timestamp,
  /**
   * Minimum number of samples for a model. Models with fewer samples are excluded from `best_recall` and
   * `fastest`.
   */
  samples_min: count,
  /**
   * `samples` is the number of requests with pruned tools in which the model called or requested a tool.
   * `tool_recall` is the share of samples in which every called or requested tool was forwarded or recovered.
   */
  best_recall: z.array(model.extend({ tool_recall: share, samples: count })),
  /** Models sorted by median time to first token in streamed requests, fastest first. */
  fastest: z.array(model.extend({ first_token_p50_ms: z.number().nonnegative(), samples: count })),
  /** `share` is the model's share of all requests that were sent to a model. */
  most_used: z.array(model.extend({ requests: count, share })),
});
export type RoutingInsights = z.infer<typeof routingInsights>;
