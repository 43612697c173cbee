import { inheritableLimit, type ApiKey } from '@gateway/contracts';
import type { AccountPolicy, ApiKeyRow } from '../persistence/account-database.ts';
import { parseToolList } from './tool-list.ts';

type Limit = (typeof inheritableLimit.options)[number];
/** Limits as they are stored: a null is inherited. */
type StoredLimits = Pick<ApiKeyRow, 'rateLimitRpm' | 'dailyTokenBudget' | 'weeklyTokenBudget'>;

export type EffectiveLimits = Record<Limit, number>;

/** The key's own limits, and the policy's where it has none. */
export function chooseLimits(key: StoredLimits, policy: AccountPolicy): EffectiveLimits {
  return {
    rate_limit_rpm: key.rateLimitRpm ?? policy.rateLimitRpm,
    daily_token_budget: Number(key.dailyTokenBudget ?? policy.dailyTokenBudget),
    weekly_token_budget: Number(key.weeklyTokenBudget ?? policy.weeklyTokenBudget),
  };
}

/** A key as callers see it. */
export function renderApiKey(key: ApiKeyRow, policy: AccountPolicy): ApiKey {
  const isInherited: Record<Limit, boolean> = {
    rate_limit_rpm: key.rateLimitRpm === null,
    daily_token_budget: key.dailyTokenBudget === null,
    weekly_token_budget: key.weeklyTokenBudget === null,
  };
  return {
    id: key.id,
    object: 'api_key',
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    ...chooseLimits(key, policy),
    k_target_override: key.kTargetOverride,
    allowed_tools: parseToolList(key.allowedTools),
    denied_tools: parseToolList(key.deniedTools),
    inherited: inheritableLimit.options.filter((limit) => isInherited[limit]),
  };
}
