import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { Exchange } from '../../exchange.ts';
import type { Caller } from '../../caller.ts';
import type { RateDecision, RateLimiter } from './rate-limiter.port.ts';

/** Requests a minute, by one Redis round trip. Throws `rate_limit_exceeded`; the headers come with either answer. */
export async function limit(
  exchange: Exchange,
  caller: Caller,
  services: { rateLimiter: RateLimiter; log: Logger },
): Promise<void> {
  const decision = await services.rateLimiter.admit(caller.keyId, caller.rateLimitRpm);
  Object.assign(exchange.headers, renderRateHeaders(decision));
  if (decision.admitted) return;
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
