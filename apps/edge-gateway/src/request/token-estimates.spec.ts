import { TokenRatios } from './token-estimates.ts';

describe('TokenRatios', () => {
  it('uses the rule of thumb until a provider has billed enough requests, then the billed ratio', () => {
    const ratios = new TokenRatios();
    for (let request = 0; request < 19; request += 1) ratios.note('openai', 5_000, 1_000);
    expect(ratios.bytesPerToken('openai')).toBe(4);
    ratios.note('openai', 5_000, 1_000);
    expect(ratios.bytesPerToken('openai')).toBeCloseTo(5);
    expect(ratios.bytesPerToken('anthropic')).toBe(4);
    expect(ratios.bytesPerToken(null)).toBe(4);
  });

  it('adapts to changes, and ignores bodies that are mostly not text', () => {
    const ratios = new TokenRatios();
    for (let request = 0; request < 500; request += 1) ratios.note('openai', 5_000, 1_000);
    for (let request = 0; request < 500; request += 1) ratios.note('openai', 3_000, 1_000);
    expect(ratios.bytesPerToken('openai')).toBeCloseTo(3, 1);
    for (let request = 0; request < 500; request += 1) ratios.note('openai', 1_000_000, 1_000);
    ratios.note('openai', 0, 0);
    expect(ratios.bytesPerToken('openai')).toBeCloseTo(3, 1);
  });
});
