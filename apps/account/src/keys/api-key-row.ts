import { allKeyScopes, inheritableLimit, type ApiKey, type KeyScope } from '@gateway/contracts';
import { z } from 'zod';
import { GatewayError } from '@gateway/errors';
import { Prisma, type AccountPolicy, type ApiKeyRow } from '../persistence/account-database.ts';

type Limit = (typeof inheritableLimit.options)[number];
/** An API key's stored limits. A null limit means that the account's limit applies. */
export interface StoredLimits {
  readonly rateLimitRpm: number | null;
  readonly dailyTokenBudget: bigint | number | null;
  readonly weeklyTokenBudget: bigint | number | null;
}

export type EffectiveLimits = Record<Limit, number>;

/** Returns the limits of an API key. The account's limit applies if the key has no limit. */
export function chooseLimits(key: StoredLimits, policy: AccountPolicy): EffectiveLimits {
  return {
    rate_limit_rpm: key.rateLimitRpm ?? policy.rateLimitRpm,
    daily_token_budget: Number(key.dailyTokenBudget ?? policy.dailyTokenBudget),
    weekly_token_budget: Number(key.weeklyTokenBudget ?? policy.weeklyTokenBudget),
  };
}

/** Renders an API key for API responses. */
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
    scopes: parseScopes(key.scopes),
    inherited: inheritableLimit.options.filter((limit) => isInherited[limit]),
  };
}

/** Parses the scopes that are stored for a key. Returns the scopes in their usual order, without unknown scopes. */
export function parseScopes(stored: readonly string[]): KeyScope[] {
  return allKeyScopes.filter((scope) => stored.includes(scope));
}

const storedList = z.array(z.string()).nullable();

/** Parses a stored tool list. A stored null means that the API key has no tool list. */
export function parseToolList(stored: unknown): string[] | null {
  return storedList.parse(stored);
}

/**
 * Renders a tool list for storage. A missing tool list is stored as SQL NULL, not as a JSON null.
 */
export function renderToolList(list: string[] | null): string[] | typeof Prisma.DbNull {
  return list ?? Prisma.DbNull;
}

/** Returns the size of a tool list as JSON, in bytes. */
export function countToolListBytes(list: string[] | null): number {
  return list === null ? 0 : Buffer.byteLength(JSON.stringify(list));
}

/**
 * Parses an RFC 3339 time that must be later than `now`. Null means no expiry. Throws
 * `invalid_field` for all other input.
 */
export function parseExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const expiresAt = new Date(text);
  if (Number.isNaN(expiresAt.getTime()) || expiresAt <= now) {
    throw new GatewayError('invalid_field', {
      param: 'expires_at',
      message: 'expires_at must be in the future.',
    });
  }
  return expiresAt;
}
