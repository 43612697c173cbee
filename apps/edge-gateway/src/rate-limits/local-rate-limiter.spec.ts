import { LocalRateLimiter } from './local-rate-limiter.ts';

describe('the limit of one process alone', () => {
  let now: number;
  let limiter: LocalRateLimiter;
  beforeEach(() => {
    now = 1_000_000;
    limiter = new LocalRateLimiter(() => now);
  });
  const admit = async (rateLimitRpm: number, keyId = 'key') =>
    limiter.admit({ accountId: 'account', keyId, rateLimitRpm });
  const admittedOf = async (count: number, rpm: number) => {
    let admitted = 0;
    for (let asked = 0; asked < count; asked++) if ((await admit(rpm)).admitted) admitted += 1;
    return admitted;
  };

  it('admits an eighth of it in a minute, so that eight processes stay within', async () => {
    let admitted = await admittedOf(100, 480);
    for (let second = 0; second < 60; second++) {
      now += 1_000;
      admitted += await admittedOf(100, 480);
    }
    expect(admitted).toBeGreaterThan(55);
    expect(admitted).toBeLessThanOrEqual(61);
  });

  it('never closes: one request a minute passes, however small the limit', async () => {
    expect(await admittedOf(10, 1)).toBe(1);
    now += 60_000;
    expect(await admittedOf(10, 1)).toBe(1);
  });

  it('never opens: a long wait saves up no more than the share, and no limit admits none', async () => {
    await admit(80);
    now += 3_600_000;
    expect(await admittedOf(100, 80)).toBe(10);
    expect((await admit(0, 'closed')).admitted).toBe(false);
  });

  it('says what is left, when there is room again, and that it decided alone', async () => {
    const first = await admit(8);
    expect(first).toMatchObject({ admitted: true, limit: 8, remaining: 0, local: true });
    const refused = await admit(8);
    expect(refused.admitted).toBe(false);
    now += refused.resetMs;
    expect((await admit(8)).admitted).toBe(true);
  });
});
