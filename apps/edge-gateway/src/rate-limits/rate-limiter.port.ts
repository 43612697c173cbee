import type { KeyGrant } from '@gateway/contracts';

/** The state of a key's rate limit after a request was counted. */
export interface RateDecision {
  readonly admitted: boolean;
  /** The limit in requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /**
   * Milliseconds until the window has room again (for a rejected request) or is empty (for an admitted
   * request).
   */
  readonly resetMs: number;
  /** True if Redis was unavailable and this process made a conservative local decision. */
  readonly local: boolean;
  /**
   * Epoch of the latest known change to the key or its account. 0 if no change is known; negative if the key
   * is revoked or the account deleted.
   */
  readonly epoch: number;
}

/** The parts of a caller that the rate limiter needs. */
export interface LimitedCaller extends Pick<KeyGrant, 'accountId' | 'keyId' | 'rateLimitRpm'> {
  /** Selects a second, independent window of the same key, for calls of account routes. */
  readonly window?: 'account';
}

/** Returns the name of a caller's window, unique within the account. */
export function nameWindow({ keyId, window }: LimitedCaller): string {
  return window === undefined ? keyId : `${keyId}:${window}`;
}

export const RATE_LIMITER = Symbol('RATE_LIMITER');

export interface RateLimiter {
  /**
   * Counts a request against a key's limit exactly once, and decides whether it is admitted. Never throws.
   */
  admit(caller: LimitedCaller): Promise<RateDecision>;
}
