import type { KeyGrant } from '@gateway/contracts';

/** The state of a key's request rate after a request was asked for. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the window has room again (when refused) or is empty (when admitted). */
  readonly resetMs: number;
  /** True when Redis was away and this process alone decided, conservatively. */
  readonly local: boolean;
  /**
   * The epoch of the latest change of the key, or of its account as a whole, that is known beside the count. 0 when none is;
   * negative when the key is revoked or the account deleted.
   */
  readonly epoch: number;
}

/** What limits know a caller by. */
export type LimitedCaller = Pick<KeyGrant, 'accountId' | 'keyId' | 'rateLimitRpm'>;

export const RATE_LIMITER = Symbol('RATE_LIMITER');

export interface RateLimiter {
  /** Counts a request against a key's limit, exactly once, and says whether it may pass. Never throws. */
  admit(caller: LimitedCaller): Promise<RateDecision>;
}
