import { rankGains } from './score-math.ts';
import { indexTools } from '../tool-index/tools.fixture.ts';
import { orderByScore } from '../tool-index/keyword-scores.ts';

/** Reproducible scores that include ties, positive and negative zero, and negative numbers. */
function scoresOf(count: number, seed: number): Float64Array {
  return Float64Array.from({ length: count }, (_, at) => {
    const value = Math.round(10 * Math.sin(seed * 12.9 + at * 78.2));
    return value === 0 && at % 2 === 0 ? -0 : value;
  });
}

describe('the ranking by score', () => {
  it.each([0, 1, 2, 9, 100, 101, 350])(
    'matches a comparison sort with ties broken by name: %i tools',
    (count) => {
      const index = indexTools(Array.from({ length: count }, (_, at) => `tool_${(at * 7919) % 1000}`));
      for (let seed = 0; seed < 5; seed += 1) {
        const scores = scoresOf(count, seed);
        const sorted = [...scores.keys()].sort(
          (one, other) => scores[other]! - scores[one]! || index.tieRanks[one]! - index.tieRanks[other]!,
        );
        expect([...orderByScore(index, scores)]).toEqual(sorted);
      }
    },
  );

  it.each([1, 2, 99, 100, 101, 350])(
    'yields gains from the logarithm of the mean rank among ties: %i tools',
    (count) => {
      const scores = scoresOf(count, 3);
      const gains = rankGains(scores);
      scores.forEach((score, at) => {
        const above = scores.filter((other) => other > score).length;
        const same = scores.filter((other) => other === score).length;
        const place = above + (same - 1) / 2;
        expect(gains[at]).toBeCloseTo(Math.max(0, 1 - Math.log2(1 + place) / Math.log2(101)), 12);
      });
    },
  );
});
