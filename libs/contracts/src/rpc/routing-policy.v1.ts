import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { defineBroadcast, defineRpc } from '../base/define.ts';

const share = z.number().min(0).max(1);

/**
 * The results of an account's shadow conversations for one bucket. Both parts of `steps` ascend: with `k`
 * scored tools forwarded, recall is at least `recallLow` (exact one-sided 95% bound, counted by
 * conversations). A bucket is `off` if recall fell, or was too low under the priors. Then all tools are
 * forwarded until a step meets the target.
 */
export const calibratedBucket = z.object({
  /** `<intent>:<list-size band>`, or `*:<band>` for all intents (`bucketOf`). */
  bucket: z.string().max(64),
  /** Number of conversations. */
  samples: count,
  isOff: z.boolean(),
  steps: z.array(z.tuple([z.int().min(1), share])).max(64),
});
export type CalibratedBucket = z.infer<typeof calibratedBucket>;

/** All measured values of K of an account. A version never changes. */
export const routingPolicy = z.object({
  accountId: id,
  /** `c1`, `c2` and so on, per account. */
  version: z.string().regex(/^c[1-9]\d*$/),
  madeAt: timestamp,
  buckets: z.array(calibratedBucket).max(256),
});
export type RoutingPolicy = z.infer<typeof routingPolicy>;

/** An account has a new policy. New conversations use it. */
export const routingPolicyChanged = defineBroadcast({
  subject: 'worker.routing-policy-changed.v1',
  publisher: 'worker',
  listeners: ['tool-router'],
  message: z.object({ policy: routingPolicy }),
});

/**
 * One policy of an account: the newest, or the version to which a conversation is pinned. Null for an account
 * without a policy, and for an expired version (30 days).
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
 * Upper ends of the list-size bands, in tools after the allow and deny lists. The last band has no upper end.
 */
const bandEnds = [25, 50, 100, 250, 500] as const;
/** Replaces the intent in a bucket that covers all intents. */
const anyIntent = '*';

/** The list-size band: `1-25`, `26-50`, … `501+`. */
export function bandOf(tools: number): string {
  const at = bandEnds.findIndex((end) => tools <= end);
  if (at < 0) return `${(bandEnds.at(-1) ?? 0) + 1}+`;
  return `${at === 0 ? 1 : (bandEnds[at - 1] ?? 0) + 1}-${bandEnds[at] ?? 0}`;
}

/** The bucket of the same band for all intents. */
export function pooledBucketOf(bucket: string): string {
  return `${anyIntent}:${bucket.slice(bucket.indexOf(':') + 1)}`;
}

/**
 * The bucket of a conversation: the intent of its first turn (null: all intents) and the band of its list.
 */
export function bucketOf(intent: string | null, tools: number): string {
  return `${intent ?? anyIntent}:${bandOf(tools)}`;
}

/**
 * The measured decision for a conversation. `k`: the smallest K whose lower bound of recall meets the target.
 * `off`: forward all tools. Null: no measurement suffices, and the shipped priors apply. The bucket itself
 * has precedence over its band for all intents.
 */
export type CalibratedK =
  { readonly bucket: string; readonly k: number } | { readonly bucket: string; readonly k: 'off' } | null;

export function chooseCalibratedK(
  policy: RoutingPolicy | null,
  question: { readonly intent: string; readonly tools: number; readonly recallTarget: number },
): CalibratedK {
  for (const intent of [question.intent, null]) {
    const bucket = bucketOf(intent, question.tools);
    const measured = policy?.buckets.find((each) => each.bucket === bucket);
    if (measured === undefined) continue;
    const k = chooseStep(measured, question.recallTarget);
    if (k !== undefined) return { bucket, k };
    if (measured.isOff) return { bucket, k: 'off' };
  }
  return null;
}

function chooseStep({ steps }: CalibratedBucket, recallTarget: number): number | undefined {
  return steps.find(([, recallLow]) => recallLow >= recallTarget)?.[0];
}
