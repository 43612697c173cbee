import { classifyIntent, findMentions } from './turn-signals.ts';
import { indexTools } from '../tool-index/tools.fixture.ts';

describe('classifyIntent', () => {
  it.each([
    ['Hello there', 'chat'],
    ['What is the weather in Paris?', 'lookup'],
    ['Create an issue in acme/widgets', 'act'],
    ['Find the failing job, then rerun it', 'multi-step'],
    ['Refactor the parser and add unit tests', 'code'],
    ['To do:\n \n\n  1. Create an issue\n  2. Close it', 'multi-step'],
    ['\n\t* list what is there', 'multi-step'],
    ['yes please', 'continue'],
    ['', 'chat'],
  ])('classifies %j as %s', (turn, intent) => {
    expect(classifyIntent(turn, false)).toBe(intent);
  });

  it('returns continue while tool results are pending', () => {
    expect(classifyIntent('Create an issue', true)).toBe('continue');
  });

  it('runs in bounded time on long runs of line breaks', () => {
    const before = process.cpuUsage();
    for (let at = 0; at < 200; at += 1) expect(classifyIntent('\n'.repeat(4_000), false)).toBe('chat');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});

const index = indexTools(['create_issue', 'search', 'getUser', 'sum.total', 'погода_сейчас', 'getUser']);

describe('findMentions', () => {
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
  ])('for %j returns %j', (turn, positions) => {
    expect(findMentions(index, turn)).toEqual(positions);
  });

  it('runs in bounded time on long runs of punctuation inside a word', () => {
    const before = process.cpuUsage();
    expect(findMentions(index, `a${'-'.repeat(99_000)}b, then create_issue--`)).toEqual([0]);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
