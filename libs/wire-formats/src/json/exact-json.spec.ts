import fc from 'fast-check';
import { parseExactJson } from './exact-json.ts';

describe('parseExactJson', () => {
  it('keeps every digit of an integer, however long', () => {
    const text = '{"a":[12345678901234567890,-9007199254740993,1],"b":{"c":1e3}}';
    expect(JSON.stringify(parseExactJson(text))).toBe(text.replace('1e3', '1000'));
  });

  it('is JSON.parse for all else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseExactJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
    expect(parseExactJson('{"a":1.5,"b":"1234567890123456789"}')).toEqual({ a: 1.5, b: '1234567890123456789' });
  });

  it('refuses what is no JSON', () => {
    expect(() => parseExactJson('{12345678901234567890}')).toThrow();
  });
});
