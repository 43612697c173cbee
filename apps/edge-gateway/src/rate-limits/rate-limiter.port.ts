import type { KeyGrant } from '@gateway/contracts';

/** The state of an API key's rate limit after a request has been counted. */
export interface RateDecision {
  readonly admitted: boolean;
  /** The limit in requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /**
   * For a rejected request, the milliseconds until the window has room for another request. For an admitted
   * request, the milliseconds until the window is empty.
   */
  readonly resetMs: number;
  /** True if Redis was unavailable and this process made a conservative local decision. */
  readonly local: boolean;
  /**
   * Epoch of the latest known change to the API key or its account. Zero means that no change is known.
   * A negative epoch means that the key is revoked or the account is deleted.
   */
  readonly epoch: number;
}

/** The fields of a caller that the rate limiter uses. */
export interface LimitedCaller extends Pick<KeyGrant, 'accountId' | 'keyId' | 'rateLimitRpm'> {
  /** Name of a second, independent rate limit window of the same API key, used for calls to account routes. */
  readonly window?: 'account';
}

/** Returns the name of a caller's rate limit window. Within the account, each window has a unique name. */
export function nameWindow({ keyId, window }: LimitedCaller): string {
  return window === undefined ? keyId : `${keyId}:${window}`;
}

export const RATE_LIMITER = Symbol('RATE_LIMITER');

export interface RateLimiter {
  /**
   * Counts a request against an API key's rate limit exactly once, and decides whether the request is admitted.
   * The method never throws.
   */
  admit(caller: LimitedCaller): Promise<RateDecision>;
}
