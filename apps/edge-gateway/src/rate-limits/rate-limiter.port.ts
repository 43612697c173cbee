import type { KeyGrant } from '@gateway/contracts';

/** The state of a key's request rate after a request was counted. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window has room again (if rejected) or is empty (if admitted). */
  readonly resetMs: number;
  /** True if Redis was unavailable and this process made a conservative decision without it. */
  readonly local: boolean;
  /**
   * The epoch of the latest known change of the key or its account. 0 if none is known; negative if the key
   * is revoked or the account deleted.
   */
  readonly epoch: number;
}

/** The fields of a caller that limits need. */
export type LimitedCaller = Pick<KeyGrant, 'accountId' | 'keyId' | 'rateLimitRpm'>;

export const RATE_LIMITER = Symbol('RATE_LIMITER');

export interface RateLimiter {
  /**
   * Counts a request against a key's limit, exactly once, and decides whether it is admitted. Never throws.
   */
  admit(caller: LimitedCaller): Promise<RateDecision>;
}
