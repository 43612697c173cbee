import { GatewayError } from '@gateway/errors';
import { requireUnexpired } from '../../../grants/grant-cache.ts';
import type { GrantCache } from '../../../grants/grant-cache.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Caller } from '../../../request/request.ts';
import type { RateDecision, RateLimiter } from '../../../rate-limits/rate-limiter.port.ts';

interface LimitServices {
  readonly rateLimiter: RateLimiter;
  readonly grants: GrantCache;
}

/** The caller as of the last change that the round trip told of, and what it said of the rate. */
interface Counted {
  readonly caller: Caller;
  readonly decision: RateDecision;
}

/**
 * Requests a minute, by one Redis round trip; the headers come with either answer. The round trip also tells of a change
 * of the key that no broadcast told of: what goes on is the caller as of then.
 *
 * Throws `rate_limit_exceeded`; for a changed key also `invalid_api_key`, `expired_api_key` or `service_unavailable`.
 */
export async function limit(exchange: Exchange, known: Caller, services: LimitServices): Promise<Caller> {
  const { caller, decision } = await countRequest(known, services);
  Object.assign(exchange.headers, renderRateHeaders(decision));
  requireRoom(decision);
  return caller;
}

/** The same for a route that has no exchange. */
export async function countRequest(known: Caller, { rateLimiter, grants }: LimitServices): Promise<Counted> {
  const decision = await rateLimiter.admit(known);
  if (!grants.isBefore(known, decision.epoch)) return { caller: known, decision };
  return { caller: requireUnexpired(await grants.renew(known, decision.epoch)), decision };
}

export function requireRoom({ admitted, limit: limitRpm, resetMs }: RateDecision): void {
  if (admitted) return;
  throw new GatewayError('rate_limit_exceeded', {
    message: `The API key has reached its limit of ${limitRpm} requests per minute.`,
    retryAfterMs: resetMs,
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
