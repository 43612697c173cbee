import { decideBucket } from '@gateway/contracts';
import { calibrate, isNews, renderPolicy, type Calibration } from './make-policy.ts';
import { boundRecallAbove, boundRecallBelow, type ShadowSample } from './measure-bucket.ts';

const day = Date.UTC(2026, 10, 1);
const setup = ['list', 'model', 'ranker'] as const;
const draw = (count: number, neededK: (at: number) => number, change: Partial<ShadowSample> = {}, from = 0) =>
  Array.from({ length: count }, (_, at): ShadowSample => ({
    at: new Date(day + (from + at) * 1000).toISOString(),
    bucket: 'act:51-100',
    neededKs: [neededK(at)],
    missed: 0,
    isArmed: true,
    share: 0.05,
    tools: 80,
    setup,
    ...change,
  }));
/** Settings with recovery disabled, so that K (the number of ranked tools) depends only on forwarded recall. */
const goalsFor = (recallTarget: number) => ({ recallTarget, hasRecovery: false });
const measure = (samples: readonly ShadowSample[], previous: Calibration | null, recallTarget: number) =>
  calibrate({ samples, pruned: [] }, previous, goalsFor(recallTarget));
const bucketOf = (calibration: Calibration, name = 'act:51-100') =>
  calibration.buckets.find(({ bucket }) => bucket === name)!;
const kOf = (samples: readonly ShadowSample[], recallTarget: number) =>
  bucketOf(measure(samples, null, recallTarget)).k;

describe('recall bounds', () => {
  it.each([
    [0.9, 29, 0],
    [0.9, 46, 1],
    [0.95, 59, 0],
    [0.95, 93, 1],
    [0.99, 299, 0],
    [0.99, 473, 1],
  ])('for a recall of %d require at least %d conversations with %d misses', (target, samples, misses) => {
    expect(boundRecallBelow(samples, misses)).toBeGreaterThanOrEqual(target);
    expect(boundRecallBelow(samples - 1, misses)).toBeLessThan(target);
  });

  it('are 0 and 1 without data, and are symmetric', () => {
    expect([boundRecallBelow(0, 0), boundRecallAbove(0, 0)]).toEqual([0, 1]);
    expect(boundRecallAbove(40, 3)).toBeCloseTo(1 - boundRecallBelow(40, 37), 9);
  });
});

describe('a calibrated routing policy', () => {
  it('uses the smallest K with a lower bound that meets the target, and no K if there is one conversation too few', () => {
    const samples = draw(59, (at) => 1 + (at % 12));
    expect(kOf(samples, 0.95)).toBe(12);
    expect(kOf(samples.slice(1), 0.95)).toBeNull();
    const oneMiss = draw(93, (at) => (at === 50 ? 70 : 1 + (at % 12)));
    expect(kOf(oneMiss, 0.95)).toBe(12);
    expect(kOf(oneMiss.slice(1), 0.95)).toBe(70);
  });

  it('chooses a smaller K if more pruned tools are recovered, but the same K if recovery is off', () => {
    const samples = draw(400, (at) => (at % 20 === 0 ? 60 : 1 + (at % 12)));
    const kAt = (recovered: number, hasRecovery = true) => {
      const missing = samples.map((each) => ({ ...each, missed: (each.neededKs[0] ?? 0) > 12 ? 1 : 0 }));
      const pruned = Array.from({ length: 7_600 }, (_, at) => ({
        ...{ at: samples[0]!.at, bucket: 'act:51-100', k: 12, setup },
        recovered: Number(at < recovered),
      }));
      return bucketOf(calibrate({ samples: missing, pruned }, null, { recallTarget: 0.95, hasRecovery })).k;
    };
    // One of twenty conversations needs a K (number of ranked tools) above 12.
    // With 342 tools recovered in 7,600 conversations, the recovery rate ρ is 0.9.
    expect(kAt(342)).toBe(12);
    expect(kAt(342, false)).toBe(60);
    expect(kAt(20)).toBe(60);
  });

  it('increases the loss of a conversation with each missed tool', () => {
    const twice = draw(300, (at) => 1 + (at % 5)).map((each, at) =>
      at % 15 === 0 ? { ...each, neededKs: [40, 40, 40, 2] } : each,
    );
    const once = twice.map((each) => (each.neededKs.length > 1 ? { ...each, neededKs: [40, 2] } : each));
    const recall = (samples: readonly ShadowSample[]) => {
      const { losses } = bucketOf(
        calibrate({ samples, pruned: [] }, null, { recallTarget: 0.95, hasRecovery: true }),
      );
      return losses.find(([k]) => k === 5)?.[1];
    };
    // With the prior recovery rate of 0.5, one missed tool has a loss of 0.5. The loss of three missed tools is 0.875.
    expect(recall(once)).toBeCloseTo(20 * 0.5, 9);
    expect(recall(twice)).toBeCloseTo(20 * 0.875, 9);
  });

  it('falls back from a bucket to its size band, and then to priors', () => {
    const samples = [
      ...draw(40, (at) => 1 + (at % 5)),
      ...draw(40, (at) => 1 + (at % 9), { bucket: 'lookup:51-100' }),
    ];
    const ask = (recallTarget: number, tools = 80) =>
      decideBucket(renderPolicy('account', 1, new Date(), measure(samples, null, recallTarget)), {
        intent: 'act',
        tools,
      });
    expect(ask(0.9)).toMatchObject({ bucket: 'act:51-100', state: 'calibrated', k: 5 });
    expect(ask(0.95)).toMatchObject({ bucket: 'act:51-100', state: 'calibrated', k: 9 });
    expect(ask(0.99)).toMatchObject({ state: 'prior', reason: 'too_few_samples', k: null });
    expect(ask(0.9, 20)).toMatchObject({ bucket: 'act:1-25', state: 'prior', k: null });
    const policy = renderPolicy('account', 1, new Date(), measure(samples, null, 0.95));
    expect(policy.buckets.find(({ bucket }) => bucket === 'act:51-100')?.decidedBy).toBe('*:51-100');
  });

  it('turns pruning off in a bucket when recall drops, and turns pruning on after enough new conversations', () => {
    const before = draw(100, (at) => 1 + (at % 10));
    const first = measure(before, null, 0.95);
    const fallen = [...before, ...draw(20, () => 60, {}, 100)];
    const second = measure(fallen, first, 0.95);
    expect(bucketOf(second)).toMatchObject({ state: 'off', reason: 'recall_fell', k: null });
    // The conversations just before the drop in recall also had deep ranks.
    // The calibration cannot determine exactly when the drop in recall started.
    expect([95, 96, 97, 98, 99, 100].map((at) => fallen[at]!.at)).toContain(bucketOf(second).since);
    const policy = renderPolicy('account', 2, new Date(), second);
    expect(decideBucket(policy, { intent: 'act', tools: 80 })).toMatchObject({ state: 'off', k: null });
    const third = measure([...fallen, ...draw(39, () => 60, {}, 120)], second, 0.95);
    expect(bucketOf(third)).toMatchObject({ state: 'calibrated', k: 60 });
  });

  it('turns pruning off in a bucket if even the upper bound on the recall of its plans is below the target', () => {
    expect(
      bucketOf(
        measure(
          draw(20, () => 40, { missed: 1 }),
          null,
          0.95,
        ),
      ),
    ).toMatchObject({
      state: 'off',
      reason: 'target_missed',
    });
    expect(
      bucketOf(
        measure(
          draw(20, () => 4),
          null,
          0.95,
        ),
      ).state,
    ).toBe('prior');
  });

  it('gets a new version when a K, a target or an important count changes', () => {
    const samples = draw(400, (at) => 1 + (at % 10));
    const policy = measure(samples, null, 0.95);
    expect(isNews(null, policy)).toBe(true);
    expect(isNews(policy, measure([...samples, ...draw(5, () => 2, {}, 400)], policy, 0.95))).toBe(false);
    expect(isNews(policy, measure(samples, policy, 0.9))).toBe(true);
    expect(isNews(policy, measure([...samples, ...draw(60, () => 2, {}, 400)], policy, 0.95))).toBe(true);
  });

  it('uses only the newest thousand conversations in a bucket', () => {
    const samples = [...draw(500, () => 50), ...draw(1_000, () => 3, {}, 500)];
    expect(bucketOf(measure(samples, null, 0.95))).toMatchObject({ samples: 1_000, curve: [[3, 0]] });
  });
});
