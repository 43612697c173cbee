import { LocalRateLimiter } from './redis-rate-limiter.adapter.ts';

describe('the rate limiter of one process without Redis', () => {
  let now: number;
  let limiter: LocalRateLimiter;
  beforeEach(() => {
    now = 1_000_000;
    limiter = new LocalRateLimiter(() => now);
  });
  const admit = (rateLimitRpm: number, keyId = 'key') =>
    limiter.admit({ accountId: 'account', keyId, rateLimitRpm });
  const admittedOf = (count: number, rpm: number) => {
    let admitted = 0;
    for (let asked = 0; asked < count; asked++) if (admit(rpm).admitted) admitted += 1;
    return admitted;
  };

  it('admits an eighth of the limit per minute, so eight processes together stay within the limit', () => {
    let admitted = admittedOf(100, 480);
    for (let second = 0; second < 60; second++) {
      now += 1_000;
      admitted += admittedOf(100, 480);
    }
    expect(admitted).toBeGreaterThan(55);
    expect(admitted).toBeLessThanOrEqual(61);
  });

  it('always admits at least one request per minute, even with a very small limit', () => {
    expect(admittedOf(10, 1)).toBe(1);
    now += 60_000;
    expect(admittedOf(10, 1)).toBe(1);
  });

  it('accumulates no more than an eighth of the limit, and admits nothing if the limit is zero', () => {
    admit(80);
    now += 3_600_000;
    expect(admittedOf(100, 80)).toBe(10);
    expect(admit(0, 'closed').admitted).toBe(false);
  });

  it('reports the remaining requests, the reset time, and that the decision was local', () => {
    const first = admit(8);
    expect(first).toMatchObject({ admitted: true, limit: 8, remaining: 0, local: true });
    const refused = admit(8);
    expect(refused.admitted).toBe(false);
    now += refused.resetMs;
    expect(admit(8).admitted).toBe(true);
  });
});
