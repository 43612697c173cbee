import fc from 'fast-check';
import { countTokens } from './count-tokens.ts';
import { cutExactly } from './cut-text.ts';

/**
 * Words, numbers, blanks, line breaks and punctuation in any order. The tokenizer's pattern distinguishes these
 * character classes.
 */
const piece = fc.oneof(
  fc.constantFrom(
    ' ',
    '  ',
    '\n',
    '\r\n',
    '\t',
    '/',
    '.',
    '{"',
    "'s",
    '\n\n',
    '),\n',
    '\u00a0',
    'é',
    '中文',
    '😀',
  ),
  fc.string({ maxLength: 8 }),
  fc.stringMatching(/^[a-zA-Z]{1,9}$/),
  fc.stringMatching(/^\d{1,7}$/),
);
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe('cutExactly', () => {
  it('cuts a text into pieces that together have the same text and the same number of tokens', () => {
    fc.assert(
      // Each generated text is short or has suitable positions for cuts, so no cut is forced.
      fc.property(text, fc.integer({ min: 70, max: 100 }), (whole, units) => {
        const pieces = [...cutExactly(whole, units)];
        expect(pieces.join('')).toBe(whole);
        expect(pieces.reduce((sum, each) => sum + countTokens(each), 0)).toBe(countTokens(whole));
      }),
      { numRuns: 300 },
    );
  });

  it('cuts a long text into pieces small enough for other work to run between them', () => {
    const long = Array.from(
      { length: 2_000 },
      (_, at) => `line ${at} of a log, which says (so far) nothing\n`,
    ).join('');
    const pieces = [...cutExactly(long, 2_000)];
    for (const each of pieces) expect(each.length).toBeLessThan(2_100);
    expect(pieces.reduce((sum, each) => sum + countTokens(each), 0)).toBe(countTokens(long));
  });

  it('cuts a text without a suitable place after nine times the requested length', () => {
    const pieces = [...cutExactly('0'.repeat(50_000), 2_000)];
    expect(pieces.map(({ length }) => length)).toEqual([18_000, 18_000, 14_000]);
  });
});
