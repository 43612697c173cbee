import { chooseCalibratedK } from '@gateway/contracts';
import { calibrate, chooseK, isNews, renderPolicy, type Calibration } from './make-policy.ts';
import { boundRecallAbove, boundRecallBelow, type ShadowSample } from './measure-bucket.ts';

const day = Date.UTC(2026, 10, 1);
const draw = (count: number, neededK: (at: number) => number, change: Partial<ShadowSample> = {}, from = 0) =>
  Array.from({ length: count }, (_, at) => ({
    at: new Date(day + (from + at) * 1000).toISOString(),
    bucket: 'act:51-100',
    neededK: neededK(at),
    neededKs: [neededK(at)],
    isMissed: false,
    tools: 80,
    ...change,
  }));
const bucketOf = (calibration: Calibration, name = 'act:51-100') =>
  calibration.buckets.find(({ bucket }) => bucket === name)!;

describe('recall bounds', () => {
  it.each([
    [0.9, 29, 0],
    [0.9, 46, 1],
    [0.95, 59, 0],
    [0.95, 93, 1],
    [0.99, 299, 0],
    [0.99, 473, 1],
  ])('for recall %d require %d conversations with %d misses, and no fewer', (target, samples, misses) => {
    expect(boundRecallBelow(samples, misses)).toBeGreaterThanOrEqual(target);
    expect(boundRecallBelow(samples - 1, misses)).toBeLessThan(target);
  });

  it('are 0 and 1 without data, and mirror each other', () => {
    expect([boundRecallBelow(0, 0), boundRecallAbove(0, 0)]).toEqual([0, 1]);
    expect(boundRecallAbove(40, 3)).toBeCloseTo(1 - boundRecallBelow(40, 37), 9);
  });
});

describe('a calibrated policy', () => {
  it('uses the smallest K whose lower bound meets the target, and no K with one conversation too few', () => {
    const samples = draw(59, (at) => 1 + (at % 12));
    expect(chooseK(bucketOf(calibrate(samples, null, 0.95)), 0.95)).toBe(12);
    expect(chooseK(bucketOf(calibrate(samples.slice(1), null, 0.95)), 0.95)).toBeUndefined();
    const oneMiss = draw(93, (at) => (at === 50 ? 70 : 1 + (at % 12)));
    expect(chooseK(bucketOf(calibrate(oneMiss, null, 0.95)), 0.95)).toBe(12);
    expect(chooseK(bucketOf(calibrate(oneMiss.slice(1), null, 0.95)), 0.95)).toBe(70);
  });

  it('falls back from a bucket to its size band, and then to priors', () => {
    const samples = [
      ...draw(40, (at) => 1 + (at % 5)),
      ...draw(40, (at) => 1 + (at % 9), { bucket: 'lookup:51-100' }),
    ];
    const policy = renderPolicy('account', 1, new Date(), calibrate(samples, null, 0.95));
    const ask = (recallTarget: number, tools = 80) =>
      chooseCalibratedK(policy, { intent: 'act', tools, recallTarget });
    expect(ask(0.9)).toEqual({ bucket: 'act:51-100', k: 5 });
    expect(ask(0.95)).toEqual({ bucket: '*:51-100', k: 9 });
    expect(ask(0.99)).toBeNull();
    expect(ask(0.9, 20)).toBeNull();
  });

  it('disables a bucket when recall falls, starts counting again, and resumes after enough new conversations', () => {
    const before = draw(100, (at) => 1 + (at % 10));
    const first = calibrate(before, null, 0.95);
    const fallen = [...before, ...draw(20, () => 60, {}, 100)];
    const second = calibrate(fallen, first, 0.95);
    expect(bucketOf(second).isOff).toBe(true);
    // The conversations just before the fall also had high ranks, so the exact start cannot be determined.
    expect([95, 96, 97, 98, 99, 100].map((at) => fallen[at]!.at)).toContain(bucketOf(second).since);
    const policy = renderPolicy('account', 2, new Date(), second);
    expect(chooseCalibratedK(policy, { intent: 'act', tools: 80, recallTarget: 0.95 })).toMatchObject({
      k: 'off',
    });
    const third = calibrate([...fallen, ...draw(39, () => 60, {}, 120)], second, 0.95);
    expect(chooseK(bucketOf(third), 0.95)).toBe(60);
  });

  it('disables a bucket if even the upper bound of its priors misses the target', () => {
    const samples = draw(20, () => 40, { isMissed: true });
    expect(bucketOf(calibrate(samples, null, 0.95)).isOff).toBe(true);
    expect(
      bucketOf(
        calibrate(
          draw(20, () => 4),
          null,
          0.95,
        ),
      ).isOff,
    ).toBe(false);
  });

  it('gets a new version when a K, a target or an important count changes', () => {
    const samples = draw(400, (at) => 1 + (at % 10));
    const policy = calibrate(samples, null, 0.95);
    expect(isNews(null, policy)).toBe(true);
    expect(isNews(policy, calibrate([...samples, ...draw(5, () => 2, {}, 400)], policy, 0.95))).toBe(false);
    expect(isNews(policy, calibrate(samples, policy, 0.9))).toBe(true);
    expect(isNews(policy, calibrate([...samples, ...draw(60, () => 2, {}, 400)], policy, 0.95))).toBe(true);
  });

  it('uses only the newest thousand conversations in a bucket', () => {
    const samples = [...draw(500, () => 50), ...draw(1_000, () => 3, {}, 500)];
    expect(bucketOf(calibrate(samples, null, 0.95))).toMatchObject({ samples: 1_000, curve: [[3, 0]] });
  });
});
