import { createApiKey, keySha256, parseApiKey } from './api-key.ts';

describe('an API key', () => {
  const { key, prefix, last4 } = createApiKey();

  it('consists of sk-svc-, 43 random characters and a checksum of 6 characters', () => {
    expect(key).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/);
    expect(parseApiKey(key)).toEqual({ valid: true, prefix, last4 });
    expect([prefix, last4]).toEqual([key.slice(0, 11), key.slice(-4)]);
  });

  it('keeps its format, so that issued keys stay valid', () => {
    const issued = `sk-svc-${'0'.repeat(42)}Z33UnCO`;
    expect(parseApiKey(issued).valid).toBe(true);
  });

  it('becomes invalid when any single character changes', () => {
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1)).valid).toBe(false);
    }
  });

  it('becomes invalid when two adjacent characters are swapped', () => {
    for (let at = 7; at < key.length - 1; at++) {
      if (key[at] === key[at + 1]) continue;
      const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
      expect(parseApiKey(swapped).valid).toBe(false);
    }
  });

  it.each([
    '',
    'sk-svc-',
    `${key}\n`,
    ` ${key}`,
    key.slice(1),
    `${key}0`,
    key.replace('sk', 'SK'),
    'ü'.repeat(56),
  ])('does not match %j', (text) => {
    expect(parseApiKey(text).valid).toBe(false);
  });

  it('is rejected in bounded time, regardless of input length', () => {
    const long = 'sk-svc-'.padEnd(10_000_000, 'a');
    const before = process.cpuUsage();
    for (let i = 0; i < 1000; i++) parseApiKey(long);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200);
  });

  it('is random: all characters of the alphabet are about equally frequent', () => {
    const counts = new Map<string, number>();
    const keys = new Set<string>();
    for (let i = 0; i < 2000; i++) {
      const { key } = createApiKey();
      keys.add(key);
      // The first of the 43 digits has less entropy than the other digits, because 2^256 is less than 62^43.
      for (const character of key.slice(8, 50)) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(keys.size).toBe(2000);
    expect(counts.size).toBe(62);
    const expected = (2000 * 42) / 62;
    const chiSquare = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    // With 61 degrees of freedom, the chi-squared statistic exceeds 180 once in 5e12 runs.
    // If keys used a random byte modulo 62, the chi-squared statistic would be several thousand.
    expect(chiSquare).toBeLessThan(180);
  });
});

describe('the API key digest', () => {
  it('is the key’s SHA-256 in lowercase hex', () => {
    expect(keySha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
