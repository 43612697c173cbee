import { indexTools } from '../tool-index/tools.fixture.ts';
import { keywordRanker } from './keyword-ranker.ts';
import { LoopRanker } from './loop-ranker.ts';

const index = indexTools(['create_issue', 'list_issues', 'merge_pull_request', 'search_code']);
const ranker = new LoopRanker(keywordRanker);
const question = { turns: ['create an issue'], at: 0 };
const turnOnly = keywordRanker.rank(index, question);

describe('LoopRanker', () => {
  it('returns the turn’s ranking if the newest messages are not tool results, or no tool was called', () => {
    expect(ranker.rank(index, { ...question, calledTools: ['search_code'] })).toEqual(turnOnly);
    expect(ranker.rank(index, { ...question, recentResults: ['{}'] })).toEqual(turnOnly);
    const other = { ...question, calledTools: ['of_another_list'], recentResults: ['{}'] };
    expect(ranker.rank(index, other)).toEqual(turnOnly);
  });

  it('ranks called tools higher in an agent loop, and sends the same query to the inner ranker at every step', async () => {
    const asked: object[] = [];
    const spied = new LoopRanker({
      rank: (list, each) => {
        asked.push(each);
        return Promise.resolve(keywordRanker.rank(list, each));
      },
    });
    const loop = { ...question, calledTools: ['search_code'], recentResults: ['{}'] };
    const { order, scores } = await spied.rank(index, loop);
    expect(scores[3]).toBe((turnOnly.scores[3] ?? 0) + 4);
    expect([...order].indexOf(3)).toBeLessThan([...turnOnly.order].indexOf(3));
    expect(asked).toEqual([question]);
  });

  it('ranks tools higher that an error or another result names, but not ordinary words', async () => {
    const asked = (result: string) => ranker.rank(index, { ...question, recentResults: [result] });
    const { scores } = await asked('Error: unknown issue. Call list_issues, then merge_pull_request.');
    expect(scores).toEqual(turnOnly.scores.map((score, at) => score + (at === 1 || at === 2 ? 2 : 0)));
    expect(await asked('Error: list issues, merge the pull request')).toEqual(turnOnly);
    const words = indexTools(['read', 'write_file']);
    const plain = keywordRanker.rank(words, question);
    expect(ranker.rank(words, { ...question, recentResults: ['the file was read'] })).toEqual(plain);
  });

  it('multiplies the odds of a called tool by e⁴ if scores are probabilities', async () => {
    const scores = Float64Array.from([0.7, 0.2, 0.05, 0.05]);
    const semantic = { ...turnOnly, method: 'semantic' as const, scores, confidence: 0.7 };
    const loop = new LoopRanker({ rank: () => semantic });
    const raised = await loop.rank(index, {
      ...{ ...question, calledTools: ['search_code'], recentResults: ['{}'] },
    });
    const odds = (raised.scores[3] ?? 0) / (raised.scores[0] ?? 1);
    expect(odds).toBeCloseTo((0.05 / 0.7) * Math.exp(4), 9);
    expect(raised.scores.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 12);
    expect(raised.order[0]).toBe(3);
    expect(raised.confidence).toBe(raised.scores[3]);
  });
});
