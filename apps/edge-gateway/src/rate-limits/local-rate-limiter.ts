import { LRUCache } from 'lru-cache';
import { nameWindow, type LimitedCaller, type RateDecision, type RateLimiter } from './rate-limiter.port.ts';

interface Bucket {
  tokens: number;
  refilledAtMs: number;
}

/**
 * Rate limiter for one process while Redis is unavailable: a token bucket that starts almost empty and admits
 * a share of the limit. At least one request per minute is admitted. With this share, eight replicas together
 * stay within the limit.
 */
const share = 1 / 8;

export class LocalRateLimiter implements RateLimiter {
  readonly #buckets = new LRUCache<string, Bucket>({ max: 50_000 });
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  admit(caller: LimitedCaller): Promise<RateDecision> {
    const { rateLimitRpm: limitRpm } = caller;
    const name = `${caller.accountId}:${nameWindow(caller)}`;
    const size = Math.max(1, Math.floor(limitRpm * share));
    const tokensPerMs = size / 60_000;
    const now = this.#now();
    const bucket = this.#buckets.get(name) ?? { tokens: Math.max(1, size / 60), refilledAtMs: now };
    bucket.tokens = Math.min(size, bucket.tokens + (now - bucket.refilledAtMs) * tokensPerMs);
    bucket.refilledAtMs = now;
    this.#buckets.set(name, bucket);
    const admitted = limitRpm > 0 && bucket.tokens >= 1;
    if (admitted) bucket.tokens -= 1;
    const resetMs = admitted ? (size - bucket.tokens) / tokensPerMs : (1 - bucket.tokens) / tokensPerMs;
    const remaining = Math.floor(bucket.tokens);
    return Promise.resolve({
      admitted,
      limit: limitRpm,
      remaining,
      resetMs: Math.ceil(resetMs),
      local: true,
      epoch: 0,
    });
  }
}
