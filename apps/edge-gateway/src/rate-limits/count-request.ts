import { GatewayError } from '@gateway/errors';
import type { KeyGrant } from '@gateway/contracts';
import { requireUnexpired, type GrantCache } from '../grants/grant-cache.ts';
import type { LimitedCaller, RateDecision, RateLimiter } from './rate-limiter.port.ts';

export interface CountServices {
  readonly rateLimiter: RateLimiter;
  readonly grants: GrantCache;
}

/** The rate limit decision for a counted request, and the latest known grant of its API key. */
export interface CountedRequest {
  readonly caller: KeyGrant;
  readonly decision: RateDecision;
}

/**
 * Counts a request against its API key's rate limit in one Redis round trip. By default, the request counts against
 * the rate limit for chat requests, but callers can specify another rate limit window. The same round trip returns
 * the epoch (change number) of the key's latest change. A changed API key is detected even if the broadcast of the
 * change was lost.
 * @throws GatewayError `invalid_api_key`, `expired_api_key` or `service_unavailable` for a changed key
 */
export async function countRequest(
  known: KeyGrant,
  { rateLimiter, grants }: CountServices,
  window?: LimitedCaller['window'],
): Promise<CountedRequest> {
  const decision = await rateLimiter.admit(window === undefined ? known : { ...known, window });
  if (!grants.isBefore(known, decision.epoch)) return { caller: known, decision };
  return { caller: requireUnexpired(await grants.renew(known, decision.epoch)), decision };
}

/**
 * Checks the rate limit decision of a request.
 * @throws GatewayError `rate_limit_exceeded` if the request was not admitted
 */
export function requireRoom({ admitted, limit: limitRpm, resetMs }: RateDecision): void {
  if (admitted) return;
  throw new GatewayError('rate_limit_exceeded', {
    message: `The API key has reached its limit of ${limitRpm} requests per minute.`,
    retryAfterMs: resetMs,
  });
}

/** Renders the rate limit headers with OpenAI's header names and duration notation (`1.5s`). */
export function renderRateHeaders(decision: RateDecision): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': String(decision.limit),
    'x-ratelimit-remaining-requests': String(decision.remaining),
    'x-ratelimit-reset-requests': `${(decision.resetMs / 1000).toFixed(3)}s`,
  };
}
