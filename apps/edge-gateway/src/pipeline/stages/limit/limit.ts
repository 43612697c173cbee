import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import { requireUnexpired } from '../../../grants/require-unexpired.ts';
import type { GrantCache } from '../../../grants/grant-cache.ts';
import type { Exchange } from '../../exchange.ts';
import type { Caller } from '../../caller.ts';
import type { RateDecision, RateLimiter } from './rate-limiter.port.ts';

/**
 * Requests a minute, by one Redis round trip; the headers come with either answer. The round trip also tells of a change
 * of the key that no broadcast told of: what goes on is the caller as of then.
 *
 * Throws `rate_limit_exceeded`; for a changed key also `invalid_api_key`, `expired_api_key` or `service_unavailable`.
 */
export async function limit(
  exchange: Exchange,
  caller: Caller,
  services: { rateLimiter: RateLimiter; grants: GrantCache; log: Logger },
): Promise<Caller> {
  const decision = await services.rateLimiter.admit(caller);
  const isChanged = services.grants.isBefore(caller, decision.epoch);
  const current = isChanged ? requireUnexpired(await services.grants.renew(caller, decision.epoch)) : caller;
  Object.assign(exchange.headers, renderRateHeaders(decision));
  if (decision.admitted) return current;
  throw new GatewayError('rate_limit_exceeded', {
    message: `The API key has reached its limit of ${decision.limit} requests per minute.`,
    retryAfterMs: decision.resetMs,
  });
}

/** OpenAI's header names and its way of writing durations (`1.5s`). */
export function renderRateHeaders(decision: RateDecision): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': String(decision.limit),
    'x-ratelimit-remaining-requests': String(decision.remaining),
    'x-ratelimit-reset-requests': `${(decision.resetMs / 1000).toFixed(3)}s`,
  };
}
