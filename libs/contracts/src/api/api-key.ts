import { z } from 'zod';
import { count, id, instant, keepable, timestamp, toolNames } from '../base/common.ts';
import { allKeyScopes, keyScopes, limits } from './account.ts';
import { listOf } from '../base/list.ts';

/** Fields of an API key that can be inherited from the account policy. */
export const inheritableLimit = z.enum(['rate_limit_rpm', 'daily_token_budget', 'weekly_token_budget']);

/**
 * An API key as shown in lists, without its secret. The limits of the API key include the limits inherited
 * from the account policy. `inherited` names the inherited limits.
 */
export const apiKey = z.object({
  id,
  object: z.literal('api_key'),
  name: z.string(),
  /** The visible prefix of the secret consists of `sk-svc-` and four characters. */
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
  // Account services from the previous release omit `scopes`. Remove the default value in the next release.
  scopes: keyScopes.default([...allKeyScopes]),
  inherited: z.array(inheritableLimit),
});
export type ApiKey = z.infer<typeof apiKey>;

/** The response to a request that creates an API key. Only this response contains the key's secret. */
export const createdApiKey = apiKey.extend({ key: z.string() });
export const apiKeyList = listOf(apiKey);
export const deletedApiKey = z.object({ id, object: z.literal('api_key.deleted'), deleted: z.literal(true) });

/** The response to a request that rotates an API key, with the new secret. */
export const rotatedApiKey = createdApiKey.extend({
  /** Expiry time of the previous secret. Null if the previous secret has already expired. */
  previous_key_expires_at: timestamp.nullable(),
});

/** Maximum expiry time in Unix seconds, the end of the year 9999. RFC 3339 cannot express later times. */
const unixSecondsMax = 253_402_300_799;

/**
 * An expiry time, accepted in RFC 3339 form or as Unix seconds, and returned in RFC 3339 form. The account
 * service rejects times in the past.
 */
const expiry = z.union(
  [
    instant,
    z
      .int()
      .min(1)
      .max(unixSecondsMax)
      .transform((seconds) => new Date(seconds * 1000).toISOString()),
  ],
  { error: 'give an RFC 3339 time with its offset, or Unix seconds' },
);

const keyName = keepable(z.string().trim().min(1).max(200));
const kTarget = z.int().min(1).max(512);

export const createApiKeyBody = z.strictObject({
  name: keyName,
  rate_limit_rpm: limits.rate_limit_rpm.optional(),
  daily_token_budget: limits.daily_token_budget.optional(),
  weekly_token_budget: limits.weekly_token_budget.optional(),
  k_target_override: kTarget.nullable().optional(),
  expires_at: expiry.nullable().optional(),
  /**
   * The default is the value of `default_key_scopes` in the account policy. A restricted key gets
   * the default scopes except `manage`.
   */
  scopes: keyScopes.optional(),
});
export type CreateApiKeyBody = z.infer<typeof createApiKeyBody>;

/**
 * Settings for the playground's API key. If `k_target_override` is 512, every list of up to 512 tools is
 * forwarded in full.
 */
export const playgroundKeyBody = z.strictObject({ k_target_override: kTarget.optional() });

/**
 * A partial update of an API key. Omitted fields keep their current values. A limit of null is replaced with
 * the limit from the account policy.
 */
export const updateApiKeyBody = z
  .strictObject({
    name: keyName,
    rate_limit_rpm: limits.rate_limit_rpm.nullable(),
    daily_token_budget: limits.daily_token_budget.nullable(),
    weekly_token_budget: limits.weekly_token_budget.nullable(),
    k_target_override: kTarget.nullable(),
    expires_at: expiry.nullable(),
    scopes: keyScopes,
  })
  .partial();
export type UpdateApiKeyBody = z.infer<typeof updateApiKeyBody>;

const hourSeconds = 3600;
const weekSeconds = 7 * 24 * hourSeconds;

export const rotateApiKeyBody = z.strictObject({
  /**
   * Seconds until the previous secret stops working. The default is one hour, and the maximum is one week. If
   * the number is 0, the previous secret stops working immediately.
   */
  overlap_seconds: z.int().min(0).max(weekSeconds).default(hourSeconds),
});
export type RotateApiKeyBody = z.infer<typeof rotateApiKeyBody>;

/**
 * New allow and deny lists of tools for an API key. At least one of the two lists must be present. If a list
 * is set to null, the gateway deletes the list. If a list is omitted, the list does not change.
 */
export const toolListBody = z
  .strictObject({
    allowed_tools: toolNames.nullable().optional(),
    denied_tools: toolNames.nullable().optional(),
  })
  .refine((body) => body.allowed_tools !== undefined || body.denied_tools !== undefined, {
    message: 'Set allowed_tools, denied_tools or both.',
  });
export type ToolListBody = z.infer<typeof toolListBody>;
