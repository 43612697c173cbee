import { describeSavedShare, describeTokensSaved, shareSaved, sumTokensSaved } from './savings.ts';

const savings = {
  tool_tokens_saved: 21_430,
  compression_tokens_saved: 812,
  recovery_tokens: 1_500,
};

it('tokens saved are the savings of pruning and compression minus recovery rounds', () => {
  expect(sumTokensSaved(savings)).toBe(20_742);
  expect(sumTokensSaved({ ...savings, tool_tokens_saved: -60, compression_tokens_saved: 0 })).toBe(-1_560);
  expect(describeTokensSaved(savings)).toBe(
    'measured: 21,430 tokens by pruning, 812 tokens by compression, less 1,500 tokens of recovery',
  );
});

it('tokens saved are unknown, not zero, if the definitions were not measured', () => {
  const unmeasured = { ...savings, tool_tokens_saved: null };
  expect(sumTokensSaved(unmeasured)).toBeNull();
  expect(describeTokensSaved(unmeasured)).toBe('not measured');
  expect(describeSavedShare(unmeasured, 100)).toBe('');
});

it('tokens saved are compared with the input without pruning and compression', () => {
  const saved = { tool_tokens_saved: 300, compression_tokens_saved: 0, recovery_tokens: 0 };
  expect(describeSavedShare(saved, 100)).toBe('about 75% of the input; ');
  expect(describeSavedShare(saved, null)).toBe('');
  expect(shareSaved({ ...saved, compression_tokens_saved: 100 }, 700)).toBeCloseTo(4 / 11);
  expect(shareSaved(saved, null)).toBeNull();
  expect(shareSaved({ ...saved, tool_tokens_saved: 0 }, 0)).toBeNull();
});
