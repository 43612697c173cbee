import { compareSaved, listAttention, sumSaved } from './answers-model.ts';

const savings = (tools: number | null, recovery = 0, requests = 2) => ({
  requests,
  ...{ tool_tokens_saved: tools, compression_tokens_saved: 100, recovery_tokens: recovery },
});
const bounds = (high: number) => ({ value: high - 0.01, low: high - 0.02, high });
const totals = {
  ...{ requests: 10, errors: 0 },
  recall: { ...bounds(0.99), sessions: 40, effective: bounds(0.99), target: 0.95 },
};
const nothing = { totals, alerts: 0, providers: [], keys: [], nowMs: 0 };

it('sums the saved tokens of days, unless a day is not known', () => {
  expect(sumSaved([savings(900), savings(100, 50)])).toBe(1_150);
  expect(sumSaved([savings(900), savings(null)])).toBeNull();
  expect(sumSaved([savings(900), savings(null, 0, 0)])).toBe(1_000);
});

it.each([
  [120, 100, 7, '20% more than in the previous 7 days.'],
  [50, 100, 1, '50% less than yesterday.'],
  [100, 100, 30, 'As much as in the previous 30 days.'],
  [5, 0, 7, 'Nothing was saved in the previous 7 days.'],
  [null, 100, 7, 'No comparison with the previous 7 days.'],
])('compares %s saved tokens with %s in the period before (%i days)', (saved, before, days, text) => {
  expect(compareSaved(saved, before, days)).toBe(text);
});

it('lists what needs attention, the most urgent first, each with its page', () => {
  expect(listAttention(nothing)).toEqual([]);
  const all = listAttention({
    totals: { ...totals, errors: 2, recall: { ...totals.recall, effective: bounds(0.9) } },
    alerts: 1,
    providers: [
      { display_name: 'Groq', last_error: 'The provider refused the credential with status 401.' },
      { display_name: 'OpenAI', last_error: null },
    ],
    keys: [
      { name: 'ci', expires_at: new Date(86_400_000).toISOString() },
      { name: 'agent', expires_at: null },
    ],
    nowMs: 1,
  });
  expect(all.map(({ address }) => address)).toEqual([
    ...[
      '/providers',
      '/routing?tab=calibration',
      '/requests?status=error',
      '/tool-health?tab=alerts',
      '/keys',
    ],
  ]);
  expect(all[0]?.text).toBe('Groq: The provider refused the credential with status 401.');
});
