import { z } from 'zod';
import { id, keepable, timestamp } from '../common.ts';
import { limits } from './limits.ts';

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
