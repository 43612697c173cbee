import { chooseScoreMin, type KPolicy } from './k-policy.ts';
import { keywordPriors } from './keyword-priors.ts';

const policy: KPolicy = {
  version: 'test',
  shortListMax: 8,
  kMin: 5,
  bands: [
    {
      toolsMax: 100,
      targets: [
        { recallTarget: 0.8, named: [[1, 0.5]], unnamed: [[5, 0.5]] },
        {
          recallTarget: 0.9,
          named: [[2, 0.2]],
          unnamed: [
            [5, 0.2],
            [10, 0.4],
          ],
        },
      ],
    },
  ],
};
const question = { tools: 50, recallTarget: 0.9, topScore: 10, namesTop: false };

describe('how far down the ranking the set reaches', () => {
  it('takes the highest step that the best score reaches', () => {
    expect(chooseScoreMin(policy, question)).toBe(4);
    expect(chooseScoreMin(policy, { ...question, topScore: 9 })).toBeCloseTo(1.8);
  });

  it('leaves nothing out when the best score is below every step', () => {
    expect(chooseScoreMin(policy, { ...question, topScore: 4 })).toBeUndefined();
  });

  it('trusts a lower score of a turn that names the best tool', () => {
    expect(chooseScoreMin(policy, { ...question, topScore: 4, namesTop: true })).toBeCloseTo(0.8);
  });

  it('holds a target between two measured ones by the stricter, and above them all by none', () => {
    expect(chooseScoreMin(policy, { ...question, recallTarget: 0.85 })).toBe(4);
    expect(chooseScoreMin(policy, { ...question, recallTarget: 0.95 })).toBeUndefined();
  });
});

describe('the measured priors', () => {
  const tables = keywordPriors.bands.flatMap(({ targets }) => targets);

  it('cut more only where they are surer', () => {
    for (const { named, unnamed } of tables) {
      for (const steps of [named, unnamed]) {
        expect(steps).toEqual([...steps].sort(([one], [other]) => one - other));
        expect(steps).toEqual([...steps].sort(([, one], [, other]) => one - other));
      }
    }
  });

  it('cover every list the gateway takes', () => {
    expect(keywordPriors.bands.map(({ toolsMax }) => toolsMax)).toEqual([50, 250, 4096]);
  });
});
