import { findNearest } from './find-nearest.ts';

test.each([
  ['opanai', ['anthropic', 'openai', 'openrouter'], 'openai'],
  ['GPT-4o-mni', ['gpt-4o', 'gpt-4o-mini'], 'gpt-4o-mini'],
  ['openai', ['openai'], 'openai'],
  ['xyz', ['abc', 'openai'], undefined],
  ['a', ['b'], undefined],
  ['', ['a'], undefined],
  ['m'.repeat(101), ['m'.repeat(101)], undefined],
])('%j among %j: %j', (name, known, nearest) => {
  expect(findNearest(name, known)).toBe(nearest);
});

test('the nearest of several similar names is chosen, whatever their order', () => {
  const known = ['claude-sonnet-4-1', 'claude-sonnet-4-5'];
  expect(findNearest('claude-sonet-4-5', known)).toBe('claude-sonnet-4-5');
  expect(findNearest('claude-sonet-4-5', known.toReversed())).toBe('claude-sonnet-4-5');
});
