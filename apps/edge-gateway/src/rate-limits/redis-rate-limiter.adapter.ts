import { setTimeout as delay } from 'node:timers/promises';
import { accountEpochName, keyEpochName } from '@gateway/contracts';
import type { Redis } from 'ioredis';
import type { Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { accountKey } from '../cache/account-keys.ts';
import type { LimitedCaller, RateDecision, RateLimiter } from './rate-limiter.port.ts';
import { nameWindow } from './rate-limiter.port.ts';
import type { Lease } from './token-leases.ts';
import { TokenLeases, UnreportedRequests, knownCount, leaseMs } from './token-leases.ts';
import type { WindowCommands, WindowReply } from './window-script.ts';
import { admitCommand, windowScript } from './window-script.ts';

type Answer = (decision: RateDecision | Promise<RateDecision>) => void;

/** The state of one API key's rate limit in this process. */
interface KeyWindow {
  readonly caller: LimitedCaller;
  readonly leases: TokenLeases;
  /** Callbacks of the requests that will be counted together. */
  waiting: Answer[];
  /** Whether this process is counting requests in Redis or requesting a lease of tokens. */
  isAsking: boolean;
  /** The last known state of the rate limit window. Null for an unused window. */
  known: { readonly id: number; readonly count: number; readonly atMs: number } | null;
  /** Number of requests that this process has admitted without Redis since the last reply. */
  readonly unreported: UnreportedRequests;
}

/**
 * How long requests are collected before they are counted together, in milliseconds. Collecting starts only if
 * requests arrive faster than Redis can count them one by one.
 */
const gatherMs = 2;
/** Maximum number of rate limit windows in memory. The windows that were used least recently are dropped. */
const windowsMax = 50_000;
/** Interval in milliseconds between attempts to report requests that were admitted without Redis. */
const reportMs = 1_000;

/**
 * A rate limiter that is exact across all gateway processes. Each request is counted in Redis when it arrives. One
 * call to Redis counts all requests that are waiting. API keys with many requests get leases of tokens, which Redis
 * counts in advance and which expire after 50 ms. A request that uses a leased token does not wait for Redis. Redis
 * grants no lease if few tokens are left. No 60-second period admits more requests than the limit
 * (`window-script.ts`). The connection's `commandTimeout` limits how long a request waits for Redis. While Redis is
 * unavailable, each process admits a fixed share of the limit, and logs the outage once. When Redis is available
 * again, the process reports the requests that it admitted. After Redis has lost its data, the process sends the
 * last request count that it received from Redis.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: Redis & WindowCommands;
  readonly #log: Logger;
  readonly #local = new LocalRateLimiter();
  readonly #windows = new LRUCache<string, KeyWindow>({ max: windowsMax });
  #reporting: NodeJS.Timeout | undefined;
  #isReporting = false;
  #away = false;

  constructor(redis: Redis, log: Logger) {
    redis.defineCommand(admitCommand, { numberOfKeys: 3, lua: windowScript });
    this.#redis = redis as Redis & WindowCommands;
    this.#log = log;
  }

  admit(caller: LimitedCaller): Promise<RateDecision> {
    const now = performance.now();
    const window = this.#windowOf(caller);
    window.leases.note(now);
    const token = window.leases.take(now);
    if (token === null) {
      return new Promise((resolve) => {
        window.waiting.push(resolve);
        if (!window.isAsking) void this.#countAll(window);
      });
    }
    if (!window.isAsking && window.leases.isRunningOut(now)) void this.#countAll(window);
    const { count, emptyMs, epoch } = token;
    return Promise.resolve(describe(caller, { isAdmitted: true, count, resetMs: emptyMs, epoch }));
  }

  #windowOf(caller: LimitedCaller): KeyWindow {
    const name = `${caller.accountId} ${nameWindow(caller)} ${caller.rateLimitRpm}`;
    let window = this.#windows.get(name);
    if (window === undefined) {
      const unreported = new UnreportedRequests();
      window = { caller, leases: new TokenLeases(), waiting: [], isAsking: false, known: null, unreported };
      this.#windows.set(name, window);
    }
    return window;
  }

  /**
   * Counts the waiting requests in Redis, and then the requests that arrive in the meantime. If the API key
   * receives many requests, the function also requests a lease of tokens.
   */
  async #countAll(window: KeyWindow): Promise<void> {
    window.isAsking = true;
    do {
      const answers = window.waiting;
      window.waiting = [];
      await this.#count(window, answers);
      this.#answerFromLease(window);
      if (window.waiting.length > 1) await delay(gatherMs);
    } while (window.waiting.length > 0);
    window.isAsking = false;
  }

  async #count(window: KeyWindow, answers: readonly Answer[]): Promise<void> {
    const sentAtMs = performance.now();
    try {
      const reply = await this.#ask(window, { asked: answers.length, wanted: window.leases.wanted });
      this.#noteAway(false);
      const [admitted, count, emptyMs, roomMs, epoch, leased] = reply;
      for (const [at, answer] of answers.entries()) {
        const isAdmitted = at < admitted;
        const counted = count - leased - Math.max(0, admitted - 1 - at);
        const resetMs = isAdmitted ? emptyMs : roomMs;
        answer(describe(window.caller, { isAdmitted, count: counted, resetMs, epoch }));
      }
      if (leased > 0) this.#addLease(window, reply, sentAtMs);
    } catch (error) {
      this.#noteAway(true, error);
      for (const answer of answers) answer(this.#admitLocally(window));
    }
  }

  /**
   * Decides whether to admit a request while Redis is unavailable. Each process admits only its share of the
   * remaining requests. The last count from Redis is still used, because all counted requests may be in the window.
   */
  #admitLocally({ caller, known, unreported }: KeyWindow): RateDecision {
    const now = performance.now();
    const left = Math.max(0, caller.rateLimitRpm - knownCount(known, now));
    const decision = this.#local.admit(caller, left, unreported.count(now));
    if (decision.admitted) unreported.add(now);
    return decision;
  }

  /** As soon as Redis is available again, reports the requests that were admitted without Redis. */
  async #reportAll(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    const isDone = await this.#reportWindows().then(
      () => true,
      () => false,
    );
    this.#isReporting = false;
    if (!isDone || this.#away) return;
    clearInterval(this.#reporting);
    this.#reporting = undefined;
  }

  async #reportWindows(): Promise<void> {
    for (const window of this.#windows.values()) {
      if (window.isAsking || window.unreported.count(performance.now()) === 0) continue;
      await this.#ask(window, {});
      this.#noteAway(false);
    }
  }

  async #ask(
    window: KeyWindow,
    { asked = 0, wanted = 0, returned = 0, returnedTo = 0 },
  ): Promise<WindowReply> {
    const { caller, known } = window;
    const { accountId, keyId, rateLimitRpm } = caller;
    const now = performance.now();
    const unreported = window.unreported.take(now);
    const reply = this.#redis.admitRequests(
      accountKey('rpm', accountId, nameWindow(caller)),
      keyEpochName(accountId, keyId),
      accountEpochName(accountId),
      rateLimitRpm,
      asked,
      wanted,
      leaseMs,
      returned,
      returnedTo,
      known?.id ?? 0,
      knownCount(known, now),
      unreported.count,
    );
    try {
      const [, count, , , , , , id] = await reply;
      window.known = { id, count, atMs: now };
    } catch (error) {
      unreported.putBack();
      if (unreported.count > 0) this.#reportLater();
      throw error;
    }
    return reply;
  }

  /**
   * Adds a lease of tokens. In this process, the lease expires 50 ms after the process requested it. The lease
   * expires later in Redis than in this process. When a lease expires, its unused tokens are returned to Redis.
   * If unused tokens cannot be returned to Redis, fewer tokens remain available in the current minute.
   */
  #addLease(window: KeyWindow, reply: WindowReply, sentAtMs: number): void {
    const [, countAfter, emptyMs, , epoch, tokens, step] = reply;
    const now = performance.now();
    const expiresAtMs = sentAtMs + leaseMs;
    const lease: Lease = { tokens, countAfter, expiresAtMs, emptyAtMs: now + emptyMs, epoch, step };
    window.leases.add(lease);
    const end = (): void => {
      const returned = window.leases.end(lease);
      if (returned > 0) void this.#ask(window, { returned, returnedTo: step }).catch(() => undefined);
    };
    setTimeout(end, Math.max(0, expiresAtMs - now)).unref();
  }

  #reportLater(): void {
    this.#reporting ??= setInterval(() => void this.#reportAll(), reportMs).unref();
  }

  #answerFromLease({ caller, leases, waiting }: KeyWindow): void {
    while (waiting.length > 0) {
      const token = leases.take(performance.now());
      if (token === null) return;
      const { count, emptyMs, epoch } = token;
      waiting.shift()?.(describe(caller, { isAdmitted: true, count, resetMs: emptyMs, epoch }));
    }
  }

  #noteAway(away: boolean, error?: unknown): void {
    if (away === this.#away) return;
    this.#away = away;
    if (away) this.#reportLater();
    if (away) this.#log.warn({ err: error }, 'rate limits are local and conservative: Redis does not answer');
    else this.#log.info('rate limits are shared again: Redis answers');
  }
}

interface Counted {
  readonly isAdmitted: boolean;
  readonly count: number;
  readonly resetMs: number;
  readonly epoch: number;
}

function describe(
  { rateLimitRpm: limit }: LimitedCaller,
  { isAdmitted, count, resetMs, epoch }: Counted,
): RateDecision {
  const remaining = Math.max(0, limit - count);
  return { admitted: isAdmitted, limit, remaining, resetMs, local: false, epoch };
}

interface Bucket {
  tokens: number;
  refilledAtMs: number;
}

/**
 * The part of the rate limit that a single process admits while Redis is unavailable. Each process has a
 * token bucket that starts almost empty, and that admits at least one request per minute. While Redis is
 * unavailable, up to eight processes together stay within the rate limit.
 */
const share = 1 / 8;

export class LocalRateLimiter {
  readonly #buckets = new LRUCache<string, Bucket>({ max: 50_000 });
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Decides whether to admit a request.
   * @param left number of requests that the rate limit still allowed when Redis was last available.
   * @param admittedSince number of requests that this process has admitted without Redis within the last minute
   */
  admit(caller: LimitedCaller, left = caller.rateLimitRpm, admittedSince = 0): RateDecision {
    const { rateLimitRpm: limitRpm } = caller;
    const name = `${caller.accountId}:${nameWindow(caller)}`;
    const size = Math.max(1, Math.floor(limitRpm * share));
    const tokensPerMs = size / 60_000;
    const now = this.#now();
    const bucket = this.#buckets.get(name) ?? { tokens: Math.max(1, size / 60), refilledAtMs: now };
    bucket.tokens = Math.min(size, bucket.tokens + (now - bucket.refilledAtMs) * tokensPerMs);
    bucket.refilledAtMs = now;
    this.#buckets.set(name, bucket);
    const isLeft = left > 0 && admittedSince < Math.max(1, Math.floor(left * share));
    const admitted = isLeft && bucket.tokens >= 1;
    if (admitted) bucket.tokens -= 1;
    const missing = isLeft ? 1 - bucket.tokens : 1;
    const resetMs = (admitted ? size - bucket.tokens : missing) / tokensPerMs;
    return {
      admitted,
      limit: limitRpm,
      remaining: isLeft ? Math.floor(bucket.tokens) : 0,
      resetMs: Math.ceil(resetMs),
      local: true,
      epoch: 0,
    };
  }
}
