import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { defineBroadcast, defineRpc } from '../base/define.ts';

const share = z.number().min(0).max(1);

/**
 * An account's shadow-conversation results for one bucket. Both columns of `steps` ascend: with `k` scored
 * tools forwarded, recall is at least `recallLow` (exact one-sided 95% bound, counted by conversation). A
 * bucket is `off` if recall fell, or was too low under the priors. Then all tools are forwarded until a step
 * meets the target.
 */
export const calibratedBucket = z.object({
  /** `<intent>:<list-size band>`, or `*:<band>` for all intents (`bucketOf`). */
  bucket: z.string().max(64),
  /** Number of conversations measured. */
  samples: count,
  isOff: z.boolean(),
  steps: z.array(z.tuple([z.int().min(1), share])).max(64),
});
export type CalibratedBucket = z.infer<typeof calibratedBucket>;

/** All measured K values for an account. A version never changes. */
export const routingPolicy = z.object({
  accountId: id,
  /** `c1`, `c2` and so on, per account. */
  version: z.string().regex(/^c[1-9]\d*$/),
  madeAt: timestamp,
  buckets: z.array(calibratedBucket).max(256),
});
export type RoutingPolicy = z.infer<typeof routingPolicy>;

/** An account has a new policy, which applies to new conversations. */
export const routingPolicyChanged = defineBroadcast({
  subject: 'worker.routing-policy-changed.v1',
  publisher: 'worker',
  listeners: ['tool-router'],
  message: z.object({ policy: routingPolicy }),
});

/**
 * An account's newest policy, or the version to which a conversation is pinned. Null if the account has no
 * policy or the version has expired (after 30 days).
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
 * Upper bounds of the list-size bands, in tools after applying the allow and deny lists. The last band has no
 * upper bound.
 */
const bandEnds = [25, 50, 100, 250, 500] as const;
/** Placeholder for the intent in a bucket that covers all intents. */
const anyIntent = '*';

/** The list-size band: `1-25`, `26-50`, … `501+`. */
export function bandOf(tools: number): string {
  const at = bandEnds.findIndex((end) => tools <= end);
  if (at < 0) return `${(bandEnds.at(-1) ?? 0) + 1}+`;
  return `${at === 0 ? 1 : (bandEnds[at - 1] ?? 0) + 1}-${bandEnds[at] ?? 0}`;
}

/** The bucket for the same band and all intents. */
export function pooledBucketOf(bucket: string): string {
  return `${anyIntent}:${bucket.slice(bucket.indexOf(':') + 1)}`;
}

/** The bucket for a conversation: the intent of its first turn (null: all intents) and the list-size band. */
export function bucketOf(intent: string | null, tools: number): string {
  return `${intent ?? anyIntent}:${bandOf(tools)}`;
}

/**
 * The measured decision for a conversation. `k`: the smallest K whose lower recall bound meets the target.
 * `off`: forward all tools. Null: there is too little data, and the shipped priors apply. The specific bucket
 * takes precedence over the all-intents bucket for the same band.
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
