import { z } from 'zod';
import { count, id, timestamp } from '../common.ts';
import { defineBroadcast, defineRpc } from '../define.ts';

const share = z.number().min(0).max(1);

/**
 * What an account's shadow sessions showed of one bucket. `steps` are ascending in both parts: with `k` scored tools
 * forwarded, recall is at least `recallLow` (exact one-sided 95% bound, sessions as the unit). In a bucket that is `off`
 * recall fell, or was too low under the priors: everything goes out until a step meets the target.
 */
export const calibratedBucket = z.object({
  /** `<intent>:<list-size band>`, or `*:<band>` over all intents (`bucketOf`). */
  bucket: z.string().max(64),
  /** Sessions. */
  samples: count,
  isOff: z.boolean(),
  steps: z.array(z.tuple([z.int().min(1), share])).max(64),
});
export type CalibratedBucket = z.infer<typeof calibratedBucket>;

/** An account's measured K, whole. A version never changes. */
export const routingPolicy = z.object({
  accountId: id,
  /** `c1`, `c2` and so on, for each account. */
  version: z.string().regex(/^c[1-9]\d*$/),
  madeAt: timestamp,
  buckets: z.array(calibratedBucket).max(256),
});
export type RoutingPolicy = z.infer<typeof routingPolicy>;

/** An account has a new policy: sessions that begin from now on are planned by it. */
export const routingPolicyChanged = defineBroadcast({
  subject: 'worker.routing-policy-changed.v1',
  publisher: 'worker',
  listeners: ['tool-router'],
  message: z.object({ policy: routingPolicy }),
});

/**
 * One policy of an account: the newest, or the version that a session is pinned to. Null for an account without one, and
 * for a version that is no longer kept (30 days).
 */
export const getRoutingPolicy = defineRpc({
  subject: 'worker.get-routing-policy.v1',
  server: 'worker',
  callers: ['tool-router'],
  deadlineMs: 1_000,
  request: z.object({ accountId: id, version: z.string().max(32).nullable() }),
  reply: z.object({ policy: routingPolicy.nullable() }),
});
