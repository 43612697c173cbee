import { findMentions } from './mentions.ts';
import { indexTools } from './tools.fixture.ts';

const index = indexTools(['create_issue', 'search', 'getUser', 'sum.total', 'погода_сейчас', 'getUser']);

describe('tools that a turn names', () => {
  it.each([
    ['please use create_issue.', [0]],
    ['call getUser(42)', [2, 5]],
    ['then sum.total: what is it?', [3]],
    ['use `search` for that', [1]],
    ['use "search" for that', [1]],
    ['вызови погода_сейчас', [4]],
    ['search the web for issues to create', []],
    ['recreate_issue and create_issues', []],
    ['', []],
  ])('in %j: %j', (turn, positions) => {
    expect(findMentions(index, turn)).toEqual(positions);
  });

  it('takes no longer for a long run of marks inside a word', () => {
    const before = process.cpuUsage();
    expect(findMentions(index, `a${'-'.repeat(99_000)}b, then create_issue--`)).toEqual([0]);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
