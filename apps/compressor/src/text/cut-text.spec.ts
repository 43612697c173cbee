import fc from 'fast-check';
import { countIdly } from '../count-tokens/background-counter.ts';
import { countTokens } from './count-tokens.ts';
import { cutExactly } from './cut-text.ts';

/** Words, numbers, blanks, line ends and signs in any order: what the tokenizer's pattern looks at. */
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
  it('cuts a text into pieces that are it, and whose tokens are its tokens', () => {
    fc.assert(
      // A text of so few pieces has a place to be cut, or is shorter than what is cut anyway.
      fc.property(text, fc.integer({ min: 70, max: 100 }), (whole, units) => {
        const pieces = [...cutExactly(whole, units)];
        expect(pieces.join('')).toBe(whole);
        expect(pieces.reduce((sum, each) => sum + countTokens(each), 0)).toBe(countTokens(whole));
      }),
      { numRuns: 300 },
    );
  });

  it('cuts a long text small enough that nobody waits long for his turn', async () => {
    const long = Array.from(
      { length: 2_000 },
      (_, at) => `line ${at} of a log, which says (so far) nothing\n`,
    ).join('');
    for (const each of cutExactly(long, 2_000)) expect(each.length).toBeLessThan(2_100);
    expect(await countIdly(long)).toBe(countTokens(long));
  });
});
