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
