import { countTokens } from './count-tokens.ts';

describe('countTokens', () => {
  it('counts like o200k and treats special tokens as text', () => {
    expect(countTokens('')).toBe(0);
    expect(countTokens('Hello, world!')).toBe(4);
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts a long run of one character in linear time', () => {
    const before = process.cpuUsage();
    for (const text of ['a'.repeat(20_000), ' '.repeat(20_000), '👍'.repeat(20_000)]) {
      expect(countTokens(`x${text}y`)).toBeGreaterThan(100);
    }
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
