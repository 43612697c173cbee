import { z } from 'zod';
import { count, id, timestamp, toolNames } from '../common.ts';
import { listOf } from './list.ts';

/** The fields of a key that may be inherited from the account policy. */
export const inheritableLimit = z.enum(['rate_limit_rpm', 'daily_token_budget', 'weekly_token_budget']);

/** A key, as lists show it: never its secret. Limits are the effective ones; `inherited` names those of the policy. */
export const apiKey = z.object({
  id,
  object: z.literal('api_key'),
  name: z.string(),
  /** The first characters of the secret: `sk-svc-` and four more. */
  prefix: z.string(),
  last4: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  rate_limit_rpm: count,
  daily_token_budget: count,
  weekly_token_budget: count,
  k_target_override: z.int().min(1).max(512).nullable(),
  allowed_tools: toolNames.nullable(),
  denied_tools: toolNames.nullable(),
  inherited: z.array(inheritableLimit),
});
export type ApiKey = z.infer<typeof apiKey>;

/** The answer to a creation: the only time the secret is shown. */
export const createdApiKey = apiKey.extend({ key: z.string() });
export const apiKeyList = listOf(apiKey);
export const deletedApiKey = z.object({ id, object: z.literal('api_key.deleted'), deleted: z.literal(true) });

/** RFC 3339 or Unix seconds in; RFC 3339 out. It must lie ahead, which the account service checks. */
const expiry = z.union([
  z.iso.datetime({ offset: true }),
  z
    .int()
    .positive()
    .transform((seconds) => new Date(seconds * 1000).toISOString()),
]);

export const createApiKeyBody = z.strictObject({
  name: z.string().trim().min(1).max(200),
  rate_limit_rpm: z.int().min(1).max(10_000_000).optional(),
  daily_token_budget: z.int().min(0).max(1e15).optional(),
  weekly_token_budget: z.int().min(0).max(1e15).optional(),
  k_target_override: z.int().min(1).max(512).nullable().optional(),
  expires_at: expiry.nullable().optional(),
});
export type CreateApiKeyBody = z.infer<typeof createApiKeyBody>;

/** Either or both. null clears a list; a list left out stays as it is. */
export const toolListBody = z
  .strictObject({
    allowed_tools: toolNames.nullable().optional(),
    denied_tools: toolNames.nullable().optional(),
  })
  .refine((body) => body.allowed_tools !== undefined || body.denied_tools !== undefined, {
    message: 'Set allowed_tools, denied_tools or both.',
  });
export type ToolListBody = z.infer<typeof toolListBody>;
