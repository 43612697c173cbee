import type { Redis } from 'ioredis';
import { RedisRateLimiter } from './redis-rate-limiter.adapter.ts';

const { jest } = import.meta;

type Reply = readonly number[];

/** A rate limiter for tests, in which each call to Redis waits for the test's reply. */
function openLimiter() {
  const calls: { unreported: number; answer: () => void; fail: () => void }[] = [];
  const redis = {
    defineCommand: () => undefined,
    admitRequests: (...args: readonly number[]) =>
      new Promise<Reply>((resolve, reject) => {
        const answer = () => resolve([args[4] ?? 0, 1, 60_000, 60_000, 0, 0, 0, 7]);
        calls.push({ unreported: args[11] ?? 0, answer, fail: () => reject(new Error('away')) });
      }),
  };
  const log = { info: () => undefined, warn: () => undefined };
  const limiter = new RedisRateLimiter(redis as unknown as Redis, log as never);
  const admit = () => limiter.admit({ accountId: 'account', keyId: 'key', rateLimitRpm: 600 });
  const sent = () => calls.map(({ unreported }) => unreported);
  return { admit, calls, sent };
}

describe('requests that were admitted without Redis', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  async function admitWithoutRedis() {
    const opened = openLimiter();
    const decision = opened.admit();
    opened.calls[0]?.fail();
    expect(await decision).toMatchObject({ admitted: true, local: true });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(opened.sent()).toEqual([0, 1]);
    return opened;
  }

  it('are reported once, even if a request arrives and time passes during the report', async () => {
    const { admit, calls, sent } = await admitWithoutRedis();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(sent()).toEqual([0, 1]);
    const decision = admit();
    expect(sent()).toEqual([0, 1, 0]);
    for (const { answer } of calls) answer();
    expect(await decision).toMatchObject({ admitted: true, local: false });
    await jest.advanceTimersByTimeAsync(3_000);
    expect(sent()).toEqual([0, 1, 0]);
  });

  it('are reported again if the report fails', async () => {
    const { calls, sent } = await admitWithoutRedis();
    calls[1]?.fail();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sent()).toEqual([0, 1, 1]);
    calls[2]?.answer();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(sent()).toEqual([0, 1, 1]);
  });
});
