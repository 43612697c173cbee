import { indexTools } from '../tool-index/tools.fixture.ts';
import { keywordRanker } from './keyword-ranker.ts';
import { MemoizedRanker } from './memoized-ranker.ts';

const index = indexTools(['create_issue', 'list_issues', 'merge_pull_request']);
const turns = ['first', 'second', 'third', 'fourth', 'fifth issue'];

function countingRanker() {
  const asked: number[] = [];
  return {
    asked,
    ranker: new MemoizedRanker(
      {
        rank: (list, question) => {
          asked.push(question.at);
          return keywordRanker.rank(list, question);
        },
      },
      1_000_000,
    ),
  };
}

describe('MemoizedRanker', () => {
  it('computes a ranking once and then returns the ranking from the cache', () => {
    const { ranker, asked } = countingRanker();
    expect(ranker.rank(index, { turns, at: 4 })).toEqual(keywordRanker.rank(index, { turns, at: 4 }));
    void ranker.rank(index, { turns: [...turns], at: 4 });
    expect(asked).toEqual([4]);
  });

  it('ranks again if a relevant turn or the tool list differs', () => {
    const { ranker, asked } = countingRanker();
    void ranker.rank(index, { turns, at: 4 });
    void ranker.rank(index, { turns: turns.with(1, 'another'), at: 4 });
    void ranker.rank(index, { turns, at: 4 }, { method: 'keyword' });
    void ranker.rank(index, { turns: ['of no account', ...turns.slice(1)], at: 4 });
    void ranker.rank(indexTools(['other']), { turns, at: 4 });
    expect(asked).toEqual([4, 4, 4, 4]);
  });

  it('shares one computation between concurrent identical queries', async () => {
    let asked = 0;
    const ranker = new MemoizedRanker(
      {
        rank: (list, question) => {
          asked += 1;
          return Promise.resolve(keywordRanker.rank(list, question));
        },
      },
      1_000_000,
    );
    const both = [ranker.rank(index, { turns, at: 4 }), ranker.rank(index, { turns, at: 4 })];
    expect(await both[0]).toBe(await both[1]);
    expect(await ranker.rank(index, { turns, at: 4 })).toBe(await both[0]);
    expect(asked).toBe(1);
  });

  it('ranks again after a fallback to keyword ranking', () => {
    let asked = 0;
    const ranker = new MemoizedRanker(
      {
        rank: (list, question) => {
          asked += 1;
          return { ...keywordRanker.rank(list, question), methodReason: asked === 1 ? 'late' : 'asked' };
        },
      },
      1_000_000,
    );
    for (let time = 0; time < 3; time += 1) void ranker.rank(index, { turns, at: 4 });
    expect(asked).toBe(2);
  });
});
