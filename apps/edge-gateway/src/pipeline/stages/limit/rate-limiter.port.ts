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
}

export interface RateLimiter {
  /** Counts a request against a key's limit, exactly once, and says whether it may pass. Never throws. */
  admit(keyId: string, limitRpm: number): Promise<RateDecision>;
}
