import { findFall } from './watch-recall.ts';

const k = 12;
const usual = 200;

/** Returns pseudo-random numbers in [0, 1) that are the same in every run (mulberry32). */
function seedRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const drawRank = (random: () => number, scale: number) => 1 + Math.floor(-Math.log(1 - random()) * scale);
const render = (ranks: readonly number[]) => ({ neededKs: [...ranks].sort((one, other) => other - one) });

/**
 * Conversations with three calls each. K = 12 is enough for 95% of them, and for 85% if ranks are stretched
 * by 1.4.
 */
const drawSessions = (
  seed: number,
  count: number,
  change: (ranks: number[], random: () => number) => number[],
) => {
  const random = seedRandom(seed);
  return Array.from({ length: count }, () =>
    render(
      change(
        [0, 1, 2].map(() => drawRank(random, 3)),
        random,
      ),
    ),
  );
};
const same = (ranks: number[]) => ranks;
const stretched = (ranks: number[]) => ranks.map((rank) => Math.ceil(rank * 1.4));

describe('a fall in recall', () => {
  it('is not reported without a change: no alarm in five runs of 400 conversations', () => {
    const alarms = [...Array(5).keys()].filter((seed) => findFall(drawSessions(seed, 400, same), k) !== null);
    expect(alarms).toEqual([]);
  });

  it('is not reported when all calls in a conversation are the same', () => {
    const alike = ([rank = 1]: number[]) => [rank, rank, rank];
    const alarms = [...Array(5).keys()].filter(
      (seed) => findFall(drawSessions(seed, 400, alike), k) !== null,
    );
    expect(alarms).toEqual([]);
  });

  it('is detected from worse ranks, and its start is located', () => {
    for (const seed of [1, 2, 3]) {
      const samples = [...drawSessions(seed, usual, same), ...drawSessions(seed + 100, 150, stretched)];
      const fall = findFall(samples, k);
      expect(fall?.noticedAt).toBeGreaterThan(usual);
      expect(Math.abs((fall?.startedAt ?? 0) - usual)).toBeLessThan(100);
    }
  });

  it('is detected from misses when the other ranks stay the same', () => {
    const astray = (ranks: number[], random: () => number) =>
      random() < 0.2 ? [...ranks.slice(1), 80] : ranks;
    const samples = [...drawSessions(1, usual, same), ...drawSessions(101, 150, astray)];
    expect(findFall(samples, k)?.noticedAt).toBeGreaterThan(usual);
  });

  it('is only detected with enough reference conversations', () => {
    expect(findFall(drawSessions(1, 59, stretched), k)).toBeNull();
    expect(findFall([], k)).toBeNull();
  });

  it('is not reported for conversations without calls or with equal ranks', () => {
    const alike = [...Array(400).keys()].map((at) => ({ neededKs: at % 3 === 0 ? [] : [1, 1] }));
    expect(findFall(alike, k)).toBeNull();
  });
});
