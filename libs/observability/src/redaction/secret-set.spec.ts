import { SecretSet } from './secret-set.ts';

function setOf(...values: string[]): SecretSet {
  const set = new SecretSet();
  for (const value of values) set.add(value);
  return set;
}

describe('the secrets of an account', () => {
  it('are found at any position, even next to another value with the same prefix', () => {
    expect(setOf('abcdefgh', 'abcdefghijkl').redact('xabcdefghijklyabcdefgh')).toBe('x[redacted]y[redacted]');
    expect(setOf('first-secret').redact('first-secret')).toBe('[redacted]');
    expect(setOf('first-secret').redact('first-secretfirst-secret.')).toBe('[redacted].');
  });

  it('are found among many values', () => {
    const values = Array.from({ length: 500 }, (_, at) => `provider-credential-${at}-${Math.sin(at)}`);
    const text = values.map((value) => `<${value}>`).join(' ');
    expect(setOf(...values).redact(text)).toBe(values.map(() => '<[redacted]>').join(' '));
  });

  it('are found in the forms that JSON encoders and URLs write', () => {
    const value = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY=';
    const written = [
      value,
      'wJalrXUtnFEMI\\/K7MDENG+bPxRfiCY=',
      'wJalrXUtnFEMI/K7MDENG\\u002BbPxRfiCY=',
      'wJalrXUtnFEMI%2FK7MDENG%2BbPxRfiCY%3D',
    ];
    for (const form of written) expect(setOf(value).redact(`a ${form} b`)).toBe('a [redacted] b');
  });

  it('are found when the start of a long value is missing', () => {
    const value = `key-${'0123456789'.repeat(5)}z`;
    expect(setOf(value).redact(`…${value.slice(20)} and ${value.slice(-19)}`)).toBe(
      `…[redacted] and ${value.slice(-19)}`,
    );
  });

  it('leave other text unchanged', () => {
    const text = 'a task-list with risk-free words and the same end: 23456789';
    expect(setOf('x-0123456789', 'y-0123456789').redact(text)).toBe(text);
  });

  it('ignore values of fewer than eight characters', () => {
    expect(setOf('words', 'a', '').redact('a text of words')).toBe('a text of words');
  });

  it('drop values that have not been registered for a long time', () => {
    const set = new SecretSet();
    set.add('first-secret', 0);
    set.add('second-secret', 0);
    set.add('first-secret', 1_000);
    set.dropBefore(0);
    expect(set.redact('first-secret second-secret')).toBe('[redacted] [redacted]');
    set.dropBefore(1);
    expect(set.redact('first-secret second-secret')).toBe('[redacted] second-secret');
    set.dropBefore(1_001);
    expect(set.redact('first-secret')).toBe('first-secret');
  });

  it('are limited in number, and the oldest is dropped first', () => {
    const set = new SecretSet(2);
    for (const secret of ['first-secret', 'second-secret', 'first-secret', 'third-secret']) set.add(secret);
    expect(set.size).toBe(2);
    expect(set.redact('first-secret second-secret third-secret')).toBe('[redacted] second-secret [redacted]');
  });

  it('take less than half a millisecond for a text of 2 kB with 1,024 values', () => {
    const set = setOf(...Array.from({ length: 1_024 }, (_, n) => `provider-credential-${n}-${Math.sin(n)}`));
    const text = 'the quick brown fox '.repeat(100);
    const rounds = 500;
    // Measures CPU time, because elapsed time depends on the machine's load.
    const from = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) set.redact(text);
    expect(process.cpuUsage(from).user / 1_000 / rounds).toBeLessThan(0.5);
  });
});
