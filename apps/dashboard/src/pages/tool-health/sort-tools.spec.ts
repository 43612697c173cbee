import { sortTools } from './sort-tools.ts';

const tool = (name: string, score: number | null, called: number, missed = 0) => ({
  name,
  description_score: score,
  issues: [],
  stats: {
    offered: 10,
    forwarded: 5,
    called,
    called_when_pruned: missed,
    call_through_rate: null,
    mean_rank_when_called: null,
  },
  last_seen_at: '2026-11-20T00:00:00.000Z',
});
const tools = [tool('b', 40, 1), tool('A', null, 3), tool('c', 90, 2)];
const names = (key: string, isDescending: boolean, search = '') =>
  sortTools(tools, search, { key, isDescending }).map(({ name }) => name);

it('sorts tools by any column in both directions, with missing values last', () => {
  expect(names('score', false)).toEqual(['b', 'c', 'A']);
  expect(names('score', true)).toEqual(['c', 'b', 'A']);
  expect(names('called', true)).toEqual(['A', 'c', 'b']);
  expect(names('name', false)).toEqual(['A', 'b', 'c']);
  expect(names('name', false, 'C')).toEqual(['c']);
});

it('sorts a thousand tools and keeps all of them', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => tool(`t${at}`, (at * 7_919) % 101, at));
  const sorted = sortTools(many, '', { key: 'score', isDescending: true });
  expect(sorted[0]?.description_score).toBe(100);
  expect(sorted).toHaveLength(1_000);
});

it('sorts the tools that need attention first: missed tools, then poor descriptions', () => {
  const some = [
    tool('perfect', 100, 9),
    tool('poor', 20, 1),
    tool('missed', 90, 1, 2),
    tool('unrated', null, 1),
  ];
  const sorted = sortTools(some, '', { key: 'need', isDescending: true });
  expect(sorted.map(({ name }) => name)).toEqual(['missed', 'poor', 'perfect', 'unrated']);
});
