import { GatewayError } from '@gateway/errors';
import type { RateLimiter } from '../rate-limits/rate-limiter.port.ts';

/** What of the configuration `/v1/auth` goes by. */
export interface AuthSettings {
  /** Calls a minute and client address. */
  readonly rateLimitRpm: number;
}

/** No account's: it has no epoch, so nothing but the count is looked at. */
const nobody = 'people';

/** Calls of `/v1/auth` a minute and client address, across replicas. Throws `too_many_attempts`. */
export async function limitAuth(
  rateLimiter: RateLimiter,
  clientAddress: string,
  { rateLimitRpm }: AuthSettings,
): Promise<void> {
  const caller = { accountId: nobody, keyId: `auth:${clientAddress}`, rateLimitRpm };
  const { admitted, resetMs } = await rateLimiter.admit(caller);
  if (!admitted) throw new GatewayError('too_many_attempts', { retryAfterMs: resetMs });
}
