import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens } from './count-tokens.ts';

describe('countTokens', () => {
  it('counts like o200k and treats special tokens as text', () => {
    expect(countTokens('')).toBe(0);
    expect(countTokens('Hello, world!')).toBe(4);
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('is exact for words and runs of up to 128 characters', () => {
    const word = writeWord(2).slice(0, 128);
    const parts = [
      word,
      '天'.repeat(128),
      '!?'.repeat(64),
      ' \t'.repeat(60),
      '\n/'.repeat(60),
      '\u{1f600}'.repeat(128),
    ];
    for (const part of parts) {
      const text = `Some words, 1234 and ${part}x; then \n\n "more": ${part}`.replace(`${part}x`, `${part}7`);
      expect(countTokens(text)).toBe(countO200k(text));
    }
  });

  it('differs by at most 2% for longer words and runs', () => {
    for (const part of [
      writeWord(3),
      '天气预报说今天下雨'.repeat(200),
      '!?.,'.repeat(500),
      'e\u0301'.repeat(800),
    ]) {
      const exact = countO200k(part.slice(0, 2_000));
      expect(Math.abs(countTokens(part.slice(0, 2_000)) - exact)).toBeLessThanOrEqual(0.02 * exact);
    }
  });

  it('stores no text in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const usedMiB = (): number => {
      // The first call may only finish a running garbage collection, which does not free newer objects.
      collect();
      collect();
      // The test excludes array buffers, because they contain no text from the counter and are released late.
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return (heapUsed + external - arrayBuffers) / 2 ** 20;
    };
    countTokens('Hello');
    const before = usedMiB();
    // The texts in the test have no words in common.
    for (let at = 0; at < 32; at += 1) countTokens(writeLines(at, 2 * 1024 * 1024).slice(0, 2_000));
    expect(usedMiB() - before).toBeLessThan(16);
  });

  it('counts a long run of one character in linear time', () => {
    const before = process.cpuUsage();
    for (const text of ['a'.repeat(20_000), ' '.repeat(20_000), '👍'.repeat(20_000)]) {
      expect(countTokens(`x${text}y`)).toBeGreaterThan(100);
    }
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });

  it.each([
    ['a word that never repeats', writeWord(1)],
    ['capital letters', writeWord(1).toUpperCase()],
    ['letters of two scripts', writeWord(1).replaceAll('a', 'ж')],
    ['punctuation', '!?.,;:'.repeat(6_000)],
    ['slashes and line breaks', '\n/\r'.repeat(12_000)],
    ['mixed white space', ' \t'.repeat(20_000)],
    ['combining marks', 'e\u0301'.repeat(20_000)],
    ['punctuation with combining marks', '!!\u0301'.repeat(12_000)],
    ['Chinese', '天气预报说今天下雨'.repeat(2_000)],
    ['emoji', '\u{1f600}\u{1f601}'.repeat(10_000)],
  ])('counts %s without a break about as fast as ordinary words', (_, text) => {
    const words = text.replace(/(.{5})/gsu, '$1 1 ').slice(0, text.length);
    countTokens(words.slice(0, 20_000));
    const wordsMs = leastMs(words);
    expect(leastMs(text, 4 * wordsMs + 20)).toBeLessThan(4 * wordsMs + 20);
  });
});

/** Creates lines with a word that occurs in no other text in the test. */
function writeLines(seed: number, chars: number): string {
  const line = `${writeWord(seed).slice(0, 20)} is a word of text ${seed}\n`;
  return Buffer.from(line.repeat(Math.ceil(chars / line.length))).toString('latin1');
}

/** Returns a word of 40,000 pseudorandom letters. */
function writeWord(seed: number): string {
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) >>> 16;
  return Array.from({ length: 40_000 }, () => String.fromCharCode(97 + (next() % 26))).join('');
}

/**
 * The shortest processor time of several counts. Other processes can only lengthen the measured time of a count.
 */
function leastMs(text: string, wantedMs = 0): number {
  let least = Infinity;
  for (let attempt = 0; attempt < 5 && least > wantedMs; attempt += 1) {
    const before = process.threadCpuUsage();
    countTokens(text);
    least = Math.min(least, process.threadCpuUsage(before).user / 1_000);
  }
  return least;
}
