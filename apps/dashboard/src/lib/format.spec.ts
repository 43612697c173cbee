import { formatBytes, formatCount, formatMs, formatShare, formatTokens, formatUsd } from './format.ts';

describe('number formats', () => {
  it.each([
    [0, '$0.00'],
    [12.345, '$12.35'],
    [0.0042, '$0.0042'],
    [0.00000123, '$0.0000012'],
    [-0.1, '−$0.10'],
  ])('formats %d dollars as %s', (value, text) => {
    expect(formatUsd(value)).toBe(text);
  });

  it.each([
    [0.42, '0.4 ms'],
    [320.4, '320 ms'],
    [1_250, '1.25 s'],
    [125_000, '2 min 5 s'],
  ])('formats %d milliseconds as %s', (value, text) => {
    expect(formatMs(value)).toBe(text);
  });

  it.each([
    [1, '1 byte'],
    [812, '812 bytes'],
    [3_200, '3.1 KiB'],
    [1_048_575, '1 MiB'],
    [2_200_000, '2.1 MiB'],
  ])('formats %d bytes as %s', (value, text) => {
    expect(formatBytes(value)).toBe(text);
  });

  it('shows a dash, not zero, for a value that was not measured', () => {
    for (const format of [formatBytes, formatCount, formatMs, formatShare, formatTokens, formatUsd])
      expect([format(null), format(undefined)]).toEqual(['–', '–']);
  });

  it('adds the unit to tokens, singular or plural', () => {
    expect([formatTokens(1), formatTokens(2)]).toEqual(['1 token', '2 tokens']);
  });
});
