import { boundEffective, lossOf, measureRecoveryRate } from './recovery-rate.ts';

const bucket = 'act:51-100';
const since = '2026-11-01T00:00:00.000Z';
const shadows = (count: number, missedOf: (at: number) => number, isArmed = true, share = 0.2) =>
  Array.from({ length: count }, (_, at) => ({ at: since, missed: missedOf(at), isArmed, share }));

describe('the recovery rate', () => {
  it('equals the prior of 0.5 until enough tools were missed in shadow conversations', () => {
    expect(measureRecoveryRate([], [])).toMatchObject({ used: 0.5, source: 'prior', measured: null });
    const few = measureRecoveryRate(
      [{ bucket, conversations: 400, recovered: 36, squares: 36, since }],
      shadows(100, (at) => Number(at < 10)),
    );
    expect(few).toMatchObject({ used: 0.5, source: 'prior', missedTools: 10 });
    expect(few.measured?.value).toBeCloseTo(0.9, 1);
  });

  it('is the number of recovered tools divided by the missed tools that the shadow conversations represent', () => {
    const rate = measureRecoveryRate(
      [
        { bucket, conversations: 3_000, recovered: 240, squares: 240, since },
        { bucket: 'code:51-100', conversations: 1_000, recovered: 80, squares: 80, since },
      ],
      shadows(1_000, (at) => Number(at % 10 === 0)),
    );
    expect(rate).toMatchObject({ source: 'measured', prunedConversations: 4_000, recoveredTools: 320 });
    expect(rate.measured?.value).toBeCloseTo(0.8, 1);
    expect(rate.used).toBe(rate.measured?.low);
    expect(rate.used).toBeLessThan(0.8);
    expect(rate.measured?.high).toBeGreaterThan(0.8);
  });

  it('is not biased when the policy and the shadow share change together', () => {
    // In the early period, 20% of the conversations are in shadow, and 25% of the shadow conversations miss a tool.
    // In the later period, 5% of the conversations are in shadow, and 2% of the shadow conversations miss a tool.
    // The recovery rate in the simulated conversations is 0.8.
    const early = shadows(200, (at) => Number(at % 4 === 0), true, 0.2);
    const later = shadows(400, (at) => Number(at % 50 === 0), true, 0.05);
    const recovered = Math.round(0.8 * (800 / 4 + 7_600 / 50));
    const count = { bucket, conversations: 8_400, recovered, squares: recovered, since };
    expect(measureRecoveryRate([count], [...early, ...later]).measured?.value).toBeCloseTo(0.8, 1);
  });

  it('equals the prior while the measurement does not contradict the prior', () => {
    const count = { bucket, conversations: 400, recovered: 44, squares: 44, since };
    const rate = measureRecoveryRate(
      [count],
      shadows(100, (at) => Number(at < 25)),
    );
    expect(rate).toMatchObject({ used: 0.5, source: 'prior', missedTools: 25 });
    const many = { bucket, conversations: 40_000, recovered: 2_000, squares: 2_000, since };
    const low = measureRecoveryRate(
      [many],
      shadows(10_000, (at) => Number(at % 4 === 0)),
    );
    expect(low.source).toBe('measured');
    expect(low.used).toBeLessThan(0.3);
  });

  it('ignores shadow conversations with a plan without recovery', () => {
    const rate = measureRecoveryRate(
      [{ bucket, conversations: 4_000, recovered: 320, squares: 320, since }],
      [...shadows(1_000, (at) => Number(at % 10 === 0)), ...shadows(1_000, () => 3, false)],
    );
    expect(rate).toMatchObject({ shadowConversations: 1_000, missedTools: 100 });
  });

  it('has a lower bound that is above the true rate in at most about 5% of accounts', () => {
    let [above, runs] = [0, 0];
    let state = 7;
    const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
    for (; runs < 400; runs += 1) {
      const truth = 0.6 + 0.3 * random();
      const missesOf = () => (random() < 0.15 ? 1 + Math.floor(random() * 3) : 0);
      const recovered = Array.from({ length: 2_000 }, missesOf).map((misses) =>
        Array.from({ length: misses }, () => Number(random() < truth)).reduce((a, b) => a + b, 0),
      );
      const count = {
        bucket,
        since,
        conversations: recovered.length,
        recovered: recovered.reduce((sum, each) => sum + each, 0),
        squares: recovered.reduce((sum, each) => sum + each ** 2, 0),
      };
      above += Number(measureRecoveryRate([count], shadows(500, missesOf)).used > truth);
    }
    // If a run fails with a probability of 5%, fewer than 8% of 400 runs fail in 99.5 of 100 cases.
    expect(above / runs).toBeLessThan(0.08);
  });
});

describe('effective recall', () => {
  it('decreases with each tool that a conversation misses', () => {
    expect(lossOf(0, 0.8)).toBe(0);
    expect(lossOf(1, 0.8)).toBeCloseTo(0.2, 12);
    expect(lossOf(3, 0.8)).toBeCloseTo(1 - 0.512, 12);
    expect(lossOf(2, 0)).toBe(1);
  });

  it('has binomial bounds, even for fractional losses', () => {
    const [few, some, more] = [1, 1.5, 2].map((losses) => boundEffective(100, losses));
    expect(few!.low).toBeGreaterThan(some!.low);
    expect(some!.low).toBeGreaterThan(more!.low);
    expect(some!.value).toBeCloseTo(0.985, 12);
  });
});
