import { indexTools } from '../plan-tools/tools.fixture.ts';
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
        method: 'keyword',
        rank: (list, all, at) => {
          asked.push(at);
          return keywordRanker.rank(list, all, at);
        },
      },
      1_000_000,
    ),
  };
}

describe('the memo of rankings', () => {
  it('gives what the ranker gave, and asks it once', () => {
    const { ranker, asked } = countingRanker();
    expect(ranker.rank(index, turns, 4)).toEqual(keywordRanker.rank(index, turns, 4));
    void ranker.rank(index, [...turns], 4);
    expect(asked).toEqual([4]);
  });

  it('asks again when a turn that bears on the ranking differs, or the list does', () => {
    const { ranker, asked } = countingRanker();
    void ranker.rank(index, turns, 4);
    void ranker.rank(index, turns.with(1, 'another'), 4);
    void ranker.rank(index, ['of no account', ...turns.slice(1)], 4);
    void ranker.rank(indexTools(['other']), turns, 4);
    expect(asked).toEqual([4, 4, 4]);
  });
});
