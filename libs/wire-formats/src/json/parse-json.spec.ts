import fc from 'fast-check';
import { parseExactJson } from './parse-json.ts';

describe('parseExactJson', () => {
  it.each([
    '{"id":12345678901234567890,"list":[-9223372036854775808,9223372036854775807]}',
    '{"text":"12345678901234567890"}',
    '{"n":9007199254740991,"m":9007199254740993}',
    '{"a":{"b":[1,2.5,true,null,"x"]}}',
  ])('preserves every digit of %s', (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  it('parses a number as a number if a double can represent it', () => {
    expect(parseExactJson('{"a":9007199254740991,"b":1e3}')).toEqual({ a: 9007199254740991, b: 1000 });
    expect(parseExactJson('{"a":1.2345678901234567}')).toEqual({ a: 1.2345678901234567 });
  });

  it('rejects the same strings as JSON.parse', () => {
    expect(() => parseExactJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});

describe('parseExactJson', () => {
  const long = '12345678901234567890';
  const value = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        long,
        `-${long}`,
        `1.${long}`,
        `1e${'1'.repeat(17)}`,
        '9007199254740992',
        '1',
        'null',
        `"${long}"`,
      ),
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(' , ')}]`),
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', '\\u0061', long), tie('value')), {
          maxLength: 4,
        })
        .map((members) => `{${members.map(([key, member]) => `"${key}" : ${member}`).join(',')}}`),
    ),
  })).value;

  it('keeps the digits of long integers, and parses all other values like JSON.parse', () => {
    const rounded = (text: string): string =>
      JSON.stringify(JSON.parse(text)).replaceAll('12345678901234567000', long);
    fc.assert(fc.property(value, (text) => expect(JSON.stringify(parseExactJson(text))).toBe(rounded(text))));
  });

  it.each(['[1234567890123456', '{"a":1234567890123456,}', '1234567890123456 1'])('rejects %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it('keeps unpaired surrogates, and the digits of deeply nested values', () => {
    expect(JSON.stringify(parseExactJson(`["\ud800",${long}]`))).toBe(`["\\ud800",${long}]`);
    const deep = `${'['.repeat(2_000)}${long}${']'.repeat(2_000)}`;
    expect(JSON.stringify(parseExactJson(deep))).toBe(deep);
  });
});
