import { randomFrom } from '@gateway/testing';
import type { Setup } from './setup-change.ts';
import { watchRecall, type WatchedConversation } from './watch-recall.ts';

const k = 12;
const usual = 200;
const setup: Setup = ['list', 'model', 'ranker'];

/** The test conversations start five minutes apart. */
const timeOf = (at: number) => new Date(Date.UTC(2026, 10, 1) + at * 300_000).toISOString();
const drawRank = (random: () => number, scale: number) => 1 + Math.floor(-Math.log(1 - random()) * scale);

/**
 * Shadow conversations with three tool calls each. Twelve ranked tools (K = 12) are enough for 95% of the
 * conversations. If all ranks are multiplied by 1.4, twelve ranked tools are enough for 85% of the
 * conversations.
 */
const drawShadows = (
  seed: number,
  count: number,
  change: (ranks: number[], random: () => number) => number[],
  from = 0,
): WatchedConversation[] => {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, at) => {
    const ranks = change(
      [0, 1, 2].map(() => drawRank(random, 3)),
      random,
    );
    const neededKs = ranks.sort((one, other) => other - one);
    return { kind: 'shadow', at: timeOf(from + at), setup, neededKs, share: 0.05 };
  });
};
const same = (ranks: number[]) => ranks;
const stretched = (ranks: number[]) => ranks.map((rank) => Math.ceil(rank * 1.4));
const stateOf = (conversations: readonly WatchedConversation[]) => watchRecall(conversations, k).state;

describe('a drop in recall, detected from shadow conversations', () => {
  it('is not reported without a change in recall: no alarm in five runs of 400 conversations', () => {
    for (const seed of [0, 1, 2, 3, 4]) expect(stateOf(drawShadows(seed, 400, same))).not.toBe('fell');
  });

  it('is not reported when all tool calls in a conversation are the same', () => {
    const alike = ([rank = 1]: number[]) => [rank, rank, rank];
    for (const seed of [0, 1, 2, 3, 4]) expect(stateOf(drawShadows(seed, 400, alike))).not.toBe('fell');
  });

  it('is detected from worse ranks, and its start is located', () => {
    for (const seed of [1, 2, 3]) {
      const conversations = [
        ...drawShadows(seed, usual, same),
        ...drawShadows(seed + 100, 150, stretched, usual),
      ];
      const { state, since } = watchRecall(conversations, k);
      expect(state).toBe('fell');
      const start = conversations.findIndex(({ at }) => at === since);
      expect(Math.abs(start - usual)).toBeLessThan(100);
    }
  });

  it('is detected from misses when the other ranks stay the same', () => {
    const astray = (ranks: number[], random: () => number) =>
      random() < 0.2 ? [...ranks.slice(1), 80] : ranks;
    expect(stateOf([...drawShadows(1, usual, same), ...drawShadows(101, 150, astray, usual)])).toBe('fell');
  });

  it('is detected only with enough reference conversations', () => {
    expect(stateOf(drawShadows(1, 59, stretched))).toBe('usual');
    expect(stateOf([])).toBe('usual');
  });

  it('is not reported for conversations without calls or with equal ranks', () => {
    const alike = [...Array(400).keys()].map((at): WatchedConversation => ({
      ...{ kind: 'shadow', at: timeOf(at), setup, neededKs: at % 3 === 0 ? [] : [1, 1], share: 1 },
    }));
    expect(stateOf(alike)).toBe('usual');
  });
});

interface Traffic {
  readonly seed: number;
  readonly from?: number;
  readonly count: number;
  /** The share of conversations that need more than K ranked tools. */
  readonly missed: number;
  readonly rho: number;
  readonly share?: number;
  /** Number of consecutive conversations with the same outcome (a missed tool, or no missed tool). */
  readonly episode?: number;
  readonly servedK?: number;
  readonly ranWith?: Setup;
}

/**
 * An account's conversations, as recorded in the request log. Some conversations are shadow conversations,
 * and all others are pruned to K ranked tools.
 */
function drawTraffic({ seed, from = 0, count, ...traffic }: Traffic): WatchedConversation[] {
  const { missed, rho, share = 0.05, episode = 1, servedK = k, ranWith = setup } = traffic;
  const random = randomFrom(seed);
  let isMissed = false;
  return Array.from({ length: count }, (_, place) => {
    if (place % episode === 0) isMissed = random() < missed;
    const shared = { at: timeOf(from + place), setup: ranWith };
    if (random() < share) return { ...shared, kind: 'shadow', share, neededKs: isMissed ? [40, 3] : [8, 3] };
    return { ...shared, kind: 'pruned', k: servedK, recovered: Number(isMissed && random() < rho) };
  });
}

describe('a drop in recall, detected from recoveries', () => {
  const before = { seed: 1, count: 3_000, missed: 0.1, rho: 0.8 };
  const states = (after: Partial<Traffic>, runs = 6) =>
    Array.from({ length: runs }, (_, seed) => {
      const reference = drawTraffic({ ...before, seed });
      const rest = drawTraffic({ ...before, seed: seed + 50, from: 3_000, count: 400, ...after });
      return stateOf([...reference, ...rest]);
    });
  const countOf = (found: readonly string[], state: string) => found.filter((each) => each === state).length;

  it('is first suspected, so that more shadow conversations are selected, and then confirmed', () => {
    expect(countOf(states({ missed: 0.2, count: 200 }), 'usual')).toBeLessThan(3);
    expect(countOf(states({ missed: 0.2, share: 0.2, count: 600 }), 'fell')).toBeGreaterThan(3);
  });

  it('is not reported without a drop, neither for independent conversations nor for series of ten similar conversations', () => {
    expect(countOf(states({ count: 3_000 }), 'fell')).toBe(0);
    const runs = Array.from({ length: 6 }, (_, seed) =>
      stateOf(drawTraffic({ ...before, seed, count: 6_000, episode: 10 })),
    );
    expect(countOf(runs, 'fell')).toBe(0);
  });

  it('is not confirmed when only recoveries become more frequent, because shadow conversations contradict a drop', () => {
    const found = states({ missed: 0.1, rho: 1, share: 0.2, count: 600 }, 4);
    expect(countOf(found, 'fell')).toBe(0);
    const moreOften = Array.from({ length: 4 }, (_, seed) =>
      stateOf([
        ...drawTraffic({ ...before, seed, rho: 0.55 }),
        ...drawTraffic({ ...before, seed: seed + 9, from: 3_000, count: 600, rho: 0.9, share: 0.2 }),
      ]),
    );
    expect(countOf(moreOften, 'fell')).toBe(0);
  });

  it('is not reported after a change to a smaller K, which needs more recoveries', () => {
    // Half of the shadow conversations need 8 tools, so far more conversations miss a tool at K = 4.
    const smaller = Array.from({ length: 4 }, (_, seed) => {
      const reference = drawTraffic({ ...before, seed });
      const rest = drawTraffic({
        ...before,
        seed: seed + 50,
        from: 3_000,
        count: 600,
        missed: 0.95,
        servedK: 4,
      });
      const kept = rest.filter(({ kind }) => kind === 'pruned');
      return stateOf([...reference, ...kept]);
    });
    expect(countOf(smaller, 'fell')).toBe(0);
    expect(countOf(smaller, 'suspected')).toBeLessThan(2);
  });
});

describe('a change of the tool list, the model or the ranker', () => {
  const before = { seed: 1, count: 3_000, missed: 0.05, rho: 0.8 };
  const after = { ...before, seed: 2, from: 3_000, count: 30 };
  const changes: readonly (readonly [string, Setup])[] = [
    ['tool list', ['other', 'model', 'ranker']],
    ['model', ['list', 'other', 'ranker']],
    ['ranker', ['list', 'model', 'other']],
  ];

  it.each(changes)('tests recall again immediately when the %s changes', (_, ranWith) => {
    const conversations = [...drawTraffic(before), ...drawTraffic({ ...after, ranWith })];
    expect(watchRecall(conversations, k)).toEqual({ state: 'changed', since: timeOf(3_000) });
  });

  it('ends the test after enough shadow conversations', () => {
    const rest = drawTraffic({ ...after, count: 600, share: 0.2, ranWith: ['other', 'model', 'ranker'] });
    expect(stateOf([...drawTraffic(before), ...rest])).toBe('usual');
  });

  it('confirms a drop in recall with less evidence than without a change', () => {
    const fallen = { ...after, missed: 0.2, share: 0.2, count: 150 };
    const other: Setup = ['other', 'model', 'ranker'];
    const fell = (ranWith: Setup) =>
      [2, 3, 4, 5, 6].filter(
        (seed) => stateOf([...drawTraffic(before), ...drawTraffic({ ...fallen, seed, ranWith })]) === 'fell',
      ).length;
    expect(fell(other)).toBeGreaterThan(fell(setup));
    expect(fell(other)).toBeGreaterThan(2);
  });

  it('is not detected for a tool list that differs in every conversation, or for a model on trial', () => {
    const lists = drawTraffic({ ...after, count: 200 }).map((each, at) => ({
      ...each,
      setup: [`list-${at}`, at % 3 === 0 ? 'trial' : 'model', 'ranker'] as const,
    }));
    expect(stateOf([...drawTraffic(before), ...lists])).toBe('usual');
  });
});
