import { uuidv7 } from 'uuidv7';
import { chooseTopCandidates } from './routing-decisions.ts';

test('a routing decision shows its ten best candidates and every called candidate, by rank', () => {
  const candidates = Array.from({ length: 40 }, (_, at) => ({
    name: `tool-${40 - at}`,
    score: at,
    rank: 40 - at,
    forwarded: at > 30,
    planned: at > 30,
    called: at === 3,
    always_in: null,
    learning: null,
  }));
  const shown = chooseTopCandidates({
    ...{ request_id: uuidv7(), created_at: new Date().toISOString(), intent: null, k: 5, k_reason: 'prior' },
    ...{ method: 'keyword', toolset_version: null, bucket: null, model_choice: null, candidates },
  });
  expect(shown.candidates.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 37]);
  expect(shown.candidates_total).toBe(40);
});
