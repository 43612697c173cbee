import type { RoutingPolicy } from '@gateway/contracts';
import { drawShadow } from './choose-plan.ts';

const bucket = 'act:51-100';
const measured = (samples: number): RoutingPolicy => ({
  accountId: '019a9f5e-0000-7000-8000-000000000001',
  version: 'c1',
  madeAt: '2026-11-20T00:00:00Z',
  buckets: [{ bucket, samples, isOff: false, steps: [] }],
});
const shadow = (at: number) => ({ shadow: { at, share: 0.05 } });

describe('the shadow draw for a conversation', () => {
  it('quadruples the share until the bucket has 100 samples', () => {
    expect(drawShadow(shadow(0.19), 'prior', null, bucket)).toBe(true);
    expect(drawShadow(shadow(0.19), 'prior', measured(99), bucket)).toBe(true);
    expect(drawShadow(shadow(0.21), 'prior', measured(99), bucket)).toBe(false);
    expect(drawShadow(shadow(0.19), 'calibrated', measured(100), bucket)).toBe(false);
    expect(drawShadow(shadow(0.04), 'calibrated', measured(100), bucket)).toBe(true);
  });

  it('is never positive with a share of zero, a short list or an override', () => {
    expect(drawShadow({}, 'prior', null, bucket)).toBe(false);
    expect(drawShadow(shadow(0), 'short_list', null, bucket)).toBe(false);
    expect(drawShadow(shadow(0), 'override', null, bucket)).toBe(false);
  });

  it('happens only once: a remembered result is kept', () => {
    const session = {
      forwarded: [],
      turns: 1,
      policyVersion: 'v',
      lane: 'keyword' as const,
      way: null,
    };
    for (const isShadow of [true, false]) {
      const known = { ...shadow(isShadow ? 1 : 0), session: { ...session, isShadow } };
      expect(drawShadow(known, 'prior', null, bucket)).toBe(isShadow);
    }
  });
});
