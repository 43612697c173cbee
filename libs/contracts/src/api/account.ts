import { z } from 'zod';
import { id, keepable, timestamp } from '../base/common.ts';

const tokenBudget = z.int().min(0).max(1e15);

/** What a key may be limited in, and inherits from its account's policy otherwise. */
export const limits = {
  /** Requests a minute. */
  rate_limit_rpm: z.int().min(1).max(10_000_000),
  /** Saved tokens a UTC day. */
  daily_token_budget: tokenBudget,
  /** Saved tokens a UTC week, from Monday on. */
  weekly_token_budget: tokenBudget,
};

/** What the account's keys inherit, and what is kept of its requests. */
export const accountPolicy = z.strictObject({
  ...limits,
  /** Whether contents of messages and tools may be stored, encrypted. */
  content_logging: z.boolean(),
  /** How long what is stored of requests may be kept. */
  retention_days: z.int().min(1).max(365),
  /** Share of sessions in which tools may be chosen, and all of them forwarded, to measure the choice. */
  shadow_share: z.number().min(0).max(1),
});
export type AccountPolicyBody = z.infer<typeof accountPolicy>;

const accountName = keepable(z.string().trim().min(1).max(200));

export const account = z.object({
  id,
  object: z.literal('account'),
  name: z.string(),
  is_demo: z.boolean(),
  created_at: timestamp,
  policy: accountPolicy,
});
export type Account = z.infer<typeof account>;

/** A partial update: what is left out stays as it is. */
export const updateAccountBody = z
  .strictObject({ name: accountName, policy: accountPolicy.partial() })
  .partial();
export type UpdateAccountBody = z.infer<typeof updateAccountBody>;

const status = z.enum(['pending', 'done']);

/** The receipt of an account's deletion: what is deleted already, and what still is to be. It names nobody. */
export const accountDeletion = z.object({
  /** Of the deletion, not of the account. Whoever knows it may read the receipt. */
  id,
  object: z.literal('account.deletion'),
  /** `done` once every step is. From the first answer on no key and no session of the account works. */
  status,
  requested_at: timestamp,
  completed_at: timestamp.nullable(),
  /** In their order. Each is tried until it is done. */
  steps: z.array(
    z.object({
      /** Whose data it deletes. */
      service: z.string(),
      status,
      completed_at: timestamp.nullable(),
    }),
  ),
});
export type AccountDeletion = z.infer<typeof accountDeletion>;
