import { priorRecoveryRate } from '@gateway/contracts';
import { boundEffectiveAt } from '../../jobs/calibrate/bound-effective.ts';
import { boundRecallAbove, boundRecallBelow } from '../../jobs/calibrate/measure-bucket.ts';
import { renderRecall, type ShadowCount } from './recall.ts';

const count = (missed: number, conversations: number, rest: Partial<ShadowCount> = {}): ShadowCount => ({
  ...{ bucket: 'act:51-100', is_armed: true, missed, conversations },
  ...rest,
});
const rate = (used: number) => ({ ...priorRecoveryRate, used });
const policy = {
  recallTarget: 0.95,
  recoveryRate: rate(0.5),
  buckets: [],
} satisfies Parameters<typeof renderRecall>[1];

describe('recall of the plans of shadow conversations', () => {
  it('counts a conversation with a missed tool as lost, or as partly lost if the plan has recovery', () => {
    const recall = renderRecall([count(0, 6), count(1, 2), count(2, 2)], policy);
    expect(recall).toMatchObject({ sessions: 10, value: 0.6, target: 0.95 });
    expect(recall.low).toBe(boundRecallBelow(10, 4));
    // In two conversations, the one missed tool is recovered with probability 0.5.
    // In two other conversations, both missed tools are recovered with probability 0.25.
    expect(recall.effective.value).toBeCloseTo((6 + 2 * 0.5 + 2 * 0.25) / 10, 12);
    // Analytics and calibration use the same bound.
    const misses = { samples: 10, one: 2, more: 2, losses: 2.5 };
    expect(recall.effective.low).toBe(boundEffectiveAt(misses, 0.5).low);
    expect(recall.effective.low).not.toBe(boundRecallBelow(10, 2.5));
    expect(recall.effective.high).toBe(boundRecallAbove(10, 2.5));
  });

  it('counts no recovered tool for a plan without recovery', () => {
    const recall = renderRecall([count(0, 9), count(1, 1, { is_armed: false })], policy);
    expect(recall.effective.value).toBe(recall.value);
  });

  it('counts a missed tool without recovery as a whole loss in the bound', () => {
    const recall = renderRecall([count(0, 97), count(1, 2), count(1, 1, { is_armed: false })], policy);
    const misses = { samples: 100, one: 2, more: 1, losses: 2 };
    expect(recall.effective).toEqual(boundEffectiveAt(misses, 0.5));
  });

  it('uses the binomial bound if recovery rates differ', () => {
    const buckets = [{ bucket: 'act:51-100', recoveryRate: rate(0.9) }];
    const counts = [count(0, 97), count(1, 2), count(1, 1, { bucket: 'lookup:51-100' })];
    const { effective } = renderRecall(counts, { ...policy, buckets } as never);
    expect(effective.low).toBeCloseTo(boundRecallBelow(100, 2 * 0.1 + 0.5), 9);
  });

  it('uses the recovery rate of the bucket, or else that of its size band, or else that of the account', () => {
    const own = { bucket: 'act:51-100', recoveryRate: rate(0.9) };
    const pooled = { bucket: '*:51-100', recoveryRate: rate(0.8) };
    const lost = (buckets: readonly object[], bucket: string | null = 'act:51-100') =>
      renderRecall([count(1, 1, { bucket })], { ...policy, buckets } as never).effective.value;
    expect(lost([own, pooled])).toBeCloseTo(0.9, 12);
    expect(lost([own, pooled], 'lookup:51-100')).toBeCloseTo(0.8, 12);
    expect(lost([own, pooled], null)).toBeCloseTo(0.5, 12);
  });

  it('is unknown for an account without shadow conversations', () => {
    const nothing = { value: null, low: null, high: null };
    expect(renderRecall([], null)).toEqual({ sessions: 0, ...nothing, effective: nothing, target: null });
  });
});
