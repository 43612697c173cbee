import { z } from 'zod';
import { id, keepable, timestamp } from '../base/common.ts';

const tokenBudget = z.int().min(0).max(1e15);

/** Limits of a key. A key without its own value inherits the value of its account's policy. */
export const limits = {
  /** Requests per minute. */
  rate_limit_rpm: z.int().min(1).max(10_000_000),
  /** Saved tokens per UTC day. */
  daily_token_budget: tokenBudget,
  /** Saved tokens per UTC week, which starts on Monday. */
  weekly_token_budget: tokenBudget,
};

/** Defaults for the account's keys, and rules for stored request data. */
export const accountPolicy = z.strictObject({
  ...limits,
  /** Whether the contents of messages and tools may be stored (encrypted). */
  content_logging: z.boolean(),
  /** Days for which request data is stored. */
  retention_days: z.int().min(1).max(365),
  /** Share of conversations, 0 to 1, that forward all tools although a plan is made, to measure recall. */
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

/** A partial update. Omitted fields keep their values. */
export const updateAccountBody = z
  .strictObject({ name: accountName, policy: accountPolicy.partial() })
  .partial();
export type UpdateAccountBody = z.infer<typeof updateAccountBody>;

const status = z.enum(['pending', 'done']);

/**
 * The receipt of an account deletion: the completed and the remaining steps. It identifies no person or
 * account.
 */
export const accountDeletion = z.object({
  /** The id of the deletion, not of the account. Anyone who knows it may read the receipt. */
  id,
  object: z.literal('account.deletion'),
  /**
   * `done` when every step is done. Keys and login sessions of the account stop working with the first
   * response.
   */
  status,
  requested_at: timestamp,
  completed_at: timestamp.nullable(),
  /** In order. Each step is retried until it succeeds. */
  steps: z.array(
    z.object({
      /** The service whose data the step deletes. */
      service: z.string(),
      status,
      completed_at: timestamp.nullable(),
    }),
  ),
});
export type AccountDeletion = z.infer<typeof accountDeletion>;
