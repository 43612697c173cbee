import { estimateDefinitionTokens } from './estimate-tokens.ts';

const estimate = (text: string): number => estimateDefinitionTokens(Buffer.from(text));

describe('the token estimate', () => {
  it.each([
    ['', 0],
    ['word', 1],
    ['two words', 2],
    ['{"a":1}', 5],
    ['\n    ', 1],
    ['東京', 3],
    ['internationalization', 2],
  ])('for %j is %d', (text, tokens) => {
    expect(estimate(text)).toBe(tokens);
  });

  it('handles long runs of letters, spaces and one long line', () => {
    for (const run of ['a', ' ', '{"a":"b"},', '天']) {
      expect(estimate(run.repeat(200_000))).toBeLessThanOrEqual(200_000 * 6);
    }
  });
});
