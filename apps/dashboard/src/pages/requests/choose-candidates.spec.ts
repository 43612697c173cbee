import { chooseCandidates } from './choose-candidates.ts';

const candidates = [
  { name: 'get_user', score: 0.9, rank: 1, forwarded: true, called: false },
  { name: 'Fetch_user', score: 0.4, rank: 2, forwarded: true, called: true },
  { name: 'delete_repo', score: 0.1, rank: 3, forwarded: false, called: false },
];
const byRank = { key: 'rank', isDescending: false };
const names = (choice: Partial<Parameters<typeof chooseCandidates>[1]>) =>
  chooseCandidates(candidates, { shown: 'all', search: '', sorting: byRank, ...choice }).map(
    ({ name }) => name,
  );

it('filters candidate tools by decision and name, and sorts them', () => {
  expect(names({ shown: 'pruned' })).toEqual(['delete_repo']);
  expect(names({ shown: 'called' })).toEqual(['Fetch_user']);
  expect(names({ search: ' USER ' })).toEqual(['get_user', 'Fetch_user']);
  expect(names({ sorting: { key: 'score', isDescending: false } })).toEqual([
    'delete_repo',
    'Fetch_user',
    'get_user',
  ]);
  expect(names({ sorting: { key: 'rank', isDescending: true } })[0]).toBe('delete_repo');
});
