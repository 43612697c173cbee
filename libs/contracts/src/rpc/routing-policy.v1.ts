import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { defineBroadcast, defineRpc } from '../base/define.ts';
import { accountHead } from './account-head.v1.ts';

const share = z.number().min(0).max(1);

/** A recall estimate with its exact one-sided 95% bounds. All values are shares from 0 to 1. */
const boundedRecall = z.object({ value: share, low: share, high: share });
export type BoundedRecall = z.infer<typeof boundedRecall>;

/**
 * The recovery rate ρ is the share of needed but pruned tools that the model reaches through recovery. The
 * rate ρ is the number of recovered tools per pruned conversation, divided by the number of missed tools per
 * shadow conversation. Shadow conversations are chosen at random, so the measured rate ρ is unbiased. Until
 * enough conversations have been measured, `used` is the prior. After that, `used` is the lower bound of the
 * measured rate. See docs/internals/recall.md.
 */
export const recoveryRate = z.object({
  used: share,
  source: z.enum(['prior', 'measured']),
  /**
   * The measured recovery rate and its one-sided 95% confidence bounds. Null until the model calls a pruned
   * tool in a shadow conversation.
   */
  measured: boundedRecall.nullable(),
  /**
   * Number of conversations with pruned tools, and number of tools that were recovered and called in these
   * conversations.
   */
  prunedConversations: count,
  recoveredTools: count,
  /**
   * Number of shadow conversations, and number of called tools that the plans for these conversations had
   * pruned.
   */
  shadowConversations: count,
  missedTools: count,
});
export type RecoveryRate = z.infer<typeof recoveryRate>;

/** The recovery rate that applies until enough conversations have been measured. */
export const priorRecoveryRate: RecoveryRate = {
  used: 0.5,
  source: 'prior',
  measured: null,
  prunedConversations: 0,
  recoveredTools: 0,
  shadowConversations: 0,
  missedTools: 0,
};

/**
 * The reason for a bucket's state. `target_met` means that K meets the recall target. `too_few_samples` means
 * that there are too few measurements, so the priors apply. For `recall_fell` and `target_missed`, all tools
 * are forwarded until there are enough new measurements to choose K. `recall_fell` means that measured recall
 * dropped. `target_missed` means that even the upper bound of recall was below the target.
 */
const policyReason = z.enum(['target_met', 'too_few_samples', 'recall_fell', 'target_missed']);
export type PolicyReason = z.infer<typeof policyReason>;

/**
 * The reason for retesting recall with a larger share of shadow conversations. `recoveries_rose` means that
 * pruned tools are recovered more often than before, which can indicate a drop in recall. `setup_changed`
 * means that the tool list, the model or the ranker changed. `since` is the time of the first conversation to
 * which the reason applies.
 */
export const recallRetest = z.object({
  reason: z.enum(['recoveries_rose', 'setup_changed']),
  since: timestamp,
});
export type RecallRetest = z.infer<typeof recallRetest>;

/** The expected recall for a value of K, without and with recovery. */
const expectedRecall = z.object({ forwarded: boundedRecall, effective: boundedRecall });
export type ExpectedRecall = z.infer<typeof expectedRecall>;

/** The measurements of a bucket with the account heads that were trained on earlier conversations. */
export const learnedBucket = z.object({
  /** Whether new conversations of the bucket use the account head, because its measured K is smaller. */
  isUsed: z.boolean(),
  /** The bucket with these measurements, as in `calibratedBucket`. Workers from the previous release omit `decidedBy`. */
  decidedBy: z.string().max(64).optional(),
  /** Number of conversations in which recall was measured with an account head. */
  samples: count,
  /** The time of the first of these conversations. */
  since: timestamp,
  steps: z.array(z.tuple([z.int().min(1), share])).max(64),
  k: z.int().min(1).nullable(),
  kWithoutRecovery: z.int().min(1).nullable(),
  expected: expectedRecall.nullable(),
});
export type LearnedBucket = z.infer<typeof learnedBucket>;

/**
 * The routing policy for one bucket. The router applies the policy that the API and the dashboard show.
 * Recall is computed per conversation. See “K”, “recall” and “effective recall” in the glossary.
 */
export const calibratedBucket = z.object({
  /** The bucket's id from `bucketOf`: `<intent>:<size band>`, or `*:<size band>` for all intents. */
  bucket: z.string().max(64),
  /** Number of conversations in which recall was measured. */
  samples: count,
  isOff: z.boolean(),
  /**
   * Pairs of K and the lower confidence bound of recall, in ascending order. If K ranked tools are forwarded,
   * recall is at least the lower bound of the pair.
   */
  steps: z.array(z.tuple([z.int().min(1), share])).max(64),
  // Workers from the previous release do not send the fields below.
  /**
   * The state of the bucket. The state `calibrated` means that K was derived from measurements. The state
   * `prior` means that the priors apply. The state `off` means that all tools are forwarded.
   */
  state: z.enum(['calibrated', 'prior', 'off']).optional(),
  reason: policyReason.optional(),
  /**
   * The bucket with the measurements that this policy uses. This is either the policy's own bucket or the bucket for
   * all intents in the same size band.
   */
  decidedBy: z.string().max(64).optional(),
  /**
   * The value of K for requests in which pruned tools can be recovered. With this K, effective recall meets
   * the recall target. Null if K was not measured.
   */
  k: z.int().min(1).nullable().optional(),
  /**
   * The value of K for requests in which pruned tools cannot be recovered. With this K, recall meets the
   * recall target. Null if no K meets the recall target.
   */
  kWithoutRecovery: z.int().min(1).nullable().optional(),
  /** The expected recall with a K of `k`. `expected` is null if the bucket's K was not measured. */
  expected: expectedRecall.nullable().optional(),
  recoveryRate: recoveryRate.optional(),
  /** The recall retest. Null if recall is not being retested. */
  retest: recallRetest.nullable().optional(),
  /** The measurements with account heads. Null until a head has ranked tools in a shadow conversation. */
  learned: learnedBucket.nullable().optional(),
});
export type CalibratedBucket = z.infer<typeof calibratedBucket>;

/** Maximum number of tool lists of an account with an account head. */
export const headsMax = 4;

/** The routing policy of an account. A published policy version never changes. */
export const routingPolicy = z.object({
  accountId: id,
  /** The policy version. Each account has its own sequence of versions: `c1`, `c2` and so on. */
  version: z.string().regex(/^c[1-9]\d*$/),
  madeAt: timestamp,
  /**
   * The account's recall target when the policy was computed. Workers from the previous release omit
   * `recallTarget`.
   */
  recallTarget: share.optional(),
  /** The recovery rate over all buckets of the account. Workers from the previous release omit `recoveryRate`. */
  recoveryRate: recoveryRate.optional(),
  buckets: z.array(calibratedBucket).max(256),
  /** The heads of the account's most used tool lists. Workers from the previous release omit `heads`. */
  heads: z.array(accountHead).max(headsMax).optional(),
});
export type RoutingPolicy = z.infer<typeof routingPolicy>;

/** Broadcasts that an account has a new routing policy, which applies to new conversations. */
export const routingPolicyChanged = defineBroadcast({
  subject: 'worker.routing-policy-changed.v1',
  publisher: 'worker',
  listeners: ['tool-router'],
  message: z.object({ policy: routingPolicy }),
});

/**
 * Reads an account's newest routing policy, or the policy version that a conversation already uses. The reply
 * is null if the account has no routing policy or the version has expired (after 30 days).
 */
export const getRoutingPolicy = defineRpc({
  subject: 'worker.get-routing-policy.v1',
  server: 'worker',
  callers: ['tool-router'],
  deadlineMs: 1_000,
  request: z.object({ accountId: id, version: z.string().max(32).nullable() }),
  reply: z.object({ policy: routingPolicy.nullable() }),
});

/**
 * Upper bounds of the size bands. Tools are counted after the allow and deny lists are applied. The last size
 * band has no upper bound.
 */
const bandEnds = [25, 50, 100, 250, 500] as const;
/** Replaces the intent in the id of a bucket for all intents. */
const anyIntent = '*';

/** The size band for a number of tools, such as `1-25`, `26-50` or `501+`. */
export function bandOf(tools: number): string {
  const at = bandEnds.findIndex((end) => tools <= end);
  if (at < 0) return `${(bandEnds.at(-1) ?? 0) + 1}+`;
  return `${at === 0 ? 1 : (bandEnds[at - 1] ?? 0) + 1}-${bandEnds[at] ?? 0}`;
}

/** The bucket for the same size band and all intents. */
export function pooledBucketOf(bucket: string): string {
  return `${anyIntent}:${bucket.slice(bucket.indexOf(':') + 1)}`;
}

/** The bucket for a first-turn intent and a size band. An intent of null means all intents. */
export function bucketOf(intent: string | null, tools: number): string {
  return `${intent ?? anyIntent}:${bandOf(tools)}`;
}

/** Minimum number of shadow conversations for a complete measurement of a bucket. */
const learningSamples = 100;

/**
 * Whether the bucket uses `shadowShareLearning`, the larger share of shadow conversations. This share applies
 * until the bucket has enough measurements, and during a recall retest.
 */
export function isLearning(policy: RoutingPolicy | null, bucket: string): boolean {
  const found = policy?.buckets.find((each) => each.bucket === bucket);
  return found === undefined || found.samples < learningSamples || (found.retest ?? null) !== null;
}

/** A routing policy's decision about a conversation. */
export interface PolicyDecision {
  readonly bucket: string;
  readonly state: 'calibrated' | 'prior' | 'off';
  readonly reason: PolicyReason;
  /** The measured values of K, with and without recovery. Null if the bucket's K was not measured. */
  readonly k: number | null;
  readonly kWithoutRecovery: number | null;
  /** The recovery rate that planning uses. */
  readonly recoveryRate: number;
  readonly steps: CalibratedBucket['steps'];
  /** The decision for conversations that an account head ranks. Null if the bucket does not use account heads. */
  readonly learned: Pick<PolicyDecision, 'k' | 'kWithoutRecovery' | 'steps'> | null;
}

/**
 * Reads a routing policy's decision about a conversation. The router, the API and the dashboard all use this
 * function. No other code reads decisions from a routing policy. A bucket for the conversation's intent takes
 * precedence over a bucket for all intents. If the policy contains neither of these buckets, the priors apply.
 */
export function decideBucket(
  policy: RoutingPolicy | null,
  { intent, tools }: { readonly intent: string; readonly tools: number },
): PolicyDecision {
  const own = bucketOf(intent, tools);
  const found = [own, bucketOf(null, tools)].flatMap(
    (name) => policy?.buckets.find(({ bucket, state }) => bucket === name && state !== undefined) ?? [],
  )[0];
  const rate = found?.recoveryRate ?? policy?.recoveryRate ?? priorRecoveryRate;
  return {
    bucket: found?.bucket ?? own,
    state: found?.state ?? 'prior',
    reason: found?.reason ?? 'too_few_samples',
    k: found?.k ?? null,
    kWithoutRecovery: found?.kWithoutRecovery ?? null,
    recoveryRate: rate.used,
    steps: found?.steps ?? [],
    learned: found?.learned?.isUsed === true ? found.learned : null,
  };
}
