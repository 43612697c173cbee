import type { PlanPrice } from '@gateway/contracts';
import { chooseK, neededRecall, type KQuestion } from './choose-k.ts';
import { recallAt, smallestK, measuredRecall } from './recall-prior.ts';

const curve = [
  [5, 0.6],
  [10, 0.8],
  [20, 0.9],
  [40, 0.96],
  [100, 1],
] as const;
const price: PlanPrice = {
  cacheRead: 0.1,
  cacheWrite: 1.25,
  output: 5,
  cachedTokensMin: 1024,
  listTokens: 20_000,
  headTokens: 2_000,
};
const ask = (change: Partial<KQuestion>) =>
  chooseK({
    recall: measuredRecall(curve),
    recallOf: 'conversation',
    tools: 100,
    scored: 100,
    recallTarget: 0.95,
    recoveredShare: 0.9,
    mayRecover: true,
    kMin: 5,
    kOverride: null,
    measured: null,
    price,
    sent: null,
    ...change,
  });

describe('a recall curve', () => {
  it('interpolates between its points and is constant after the last point', () => {
    expect(recallAt(curve, 0)).toBe(0);
    expect(recallAt(curve, 7.5)).toBeCloseTo(0.7, 12);
    expect(recallAt(curve, 500)).toBe(1);
  });

  it('returns the smallest K for a recall, or undefined if no K reaches the recall', () => {
    expect(smallestK(curve, 0.8)).toBe(10);
    expect(smallestK(curve, 0.85)).toBe(15);
    expect(smallestK(curve.slice(0, 2), 0.85)).toBeUndefined();
  });
});

describe('chooseK', () => {
  it('reaches the recall target without recovery', () => {
    expect(ask({ mayRecover: false })).toMatchObject({ k: 37, why: 'chosen', recovery: { armed: false } });
  });

  it('chooses a smaller K with recovery', () => {
    expect(neededRecall(0.95, 0.9)).toBeCloseTo(0.5, 12);
    expect(ask({})).toMatchObject({ k: 5, why: 'chosen', recovery: { armed: true, way: 'in_place' } });
    const strict = ask({ recallTarget: 0.99 });
    expect(strict.k).toBeGreaterThanOrEqual(20);
    expect(strict.recovery.armed).toBe(true);
  });

  it('chooses a larger K if recall was measured per turn instead of per conversation', () => {
    expect(ask({ mayRecover: false, recallOf: 'turn' })).toMatchObject({ k: 74 });
    expect(ask({ recallOf: 'turn' })).toMatchObject({ k: 10, recovery: { armed: true } });
  });

  it('uses `regrown` mode if nothing is cached or the prefix is too short to cache', () => {
    const regrown = { recovery: { armed: true, way: 'regrown' } };
    expect(ask({ price: { ...price, cacheRead: null, cacheWrite: null } })).toMatchObject(regrown);
    expect(ask({ price: { ...price, cachedTokensMin: 100_000 } })).toMatchObject(regrown);
  });

  it('prunes no tool that recovery cannot reach, even if pruning without recovery costs less', () => {
    const sure = { recall: measuredRecall([[8, 0.96]]), price: { ...price, cacheRead: 0.25, cacheWrite: 1 } };
    expect(ask({ ...sure, mayRecover: false })).toMatchObject({ k: 8, recovery: { armed: false } });
    expect(ask({ ...sure, recoveredShare: 0.5 })).toMatchObject({ k: 8, recovery: { armed: true } });
    const names = { ...sure, price: { ...price, listTokens: 400 } };
    expect(ask(names)).toMatchObject({ k: undefined, why: 'net_negative' });
    expect(ask({ ...names, mayRecover: false })).toMatchObject({ k: 8, recovery: { armed: false } });
  });

  it('does not enable recovery if listing tool names costs more than recovery saves', () => {
    expect(ask({ price: { ...price, listTokens: 400 } }).recovery.armed).toBe(false);
  });

  it('forwards all tools if all tools cost less, or if no K reaches the recall target', () => {
    const short = { tools: 12, scored: 12, kMin: 11 };
    expect(ask({ ...short, mayRecover: true, recall: measuredRecall([[11, 0.6]]) })).toMatchObject({
      k: undefined,
      why: 'net_negative',
    });
    expect(ask({ recall: measuredRecall(curve.slice(0, 2)), mayRecover: false })).toMatchObject({
      k: undefined,
      why: 'uncertain',
    });
  });

  it('applies an override of K, with and without recovery', () => {
    for (const mayRecover of [true, false])
      expect(ask({ kOverride: 3, mayRecover })).toMatchObject({ k: 3, recovery: { armed: mayRecover } });
  });

  it('reports the expected savings', () => {
    const { worth } = ask({});
    expect(worth?.saved).toBeGreaterThan(worth?.spent ?? Infinity);
  });
});
