import { MemberFilter } from './member-filter.ts';

const names = ['cloud_access_key_id', 'cloud_secret_access_key'];
const secret = 'AKIA-SECRET';

/** Filters a request body that arrives in pieces of the given size. */
function filter(text: string, pieceBytes = text.length * 4): string {
  const filter = new MemberFilter(names, 'model');
  const bytes = Buffer.from(text);
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    out.push(filter.push(bytes.subarray(at, at + pieceBytes)));
  return Buffer.concat([...out, filter.end()]).toString();
}

describe('fields that are never forwarded', () => {
  it.each([
    [`{"cloud_access_key_id":"${secret}"}`, {}],
    [`{"cloud_access_key_id":"${secret}","model":"m"}`, { model: 'm' }],
    [`{"model":"m","cloud_access_key_id":"${secret}"}`, { model: 'm' }],
    [
      `{ "a" : [1,2] , "cloud_access_key_id" : "${secret}\\"," , "b" : {"c":"}"} }`,
      { a: [1, 2], b: { c: '}' } },
    ],
    [`{"cloud_access_key_id":"${secret}",\n"cloud_secret_access_key":{"x":["${secret}"]},"a":1}`, { a: 1 }],
    [`{"cloud\\u005faccess_key_id":"${secret}","a":"ü"}`, { a: 'ü' }],
    [`{"a":1,"cloud_access_key_id":null,"cloud_secret_access_key":"${secret}"}`, { a: 1 }],
  ])(
    'are removed from %s, which stays valid JSON of the same length for any split into chunks',
    (text, rest) => {
      for (const pieceBytes of [1, 2, 3, 7, 1000]) {
        const out = filter(text, pieceBytes);
        expect(JSON.parse(out)).toEqual(rest);
        expect(out).not.toContain('AKIA');
        expect(Buffer.byteLength(out)).toBe(Buffer.byteLength(text));
      }
    },
  );

  it.each([
    '{}',
    '{ }',
    '{"a":1}',
    `{"a":{"cloud_access_key_id":"deeper"},"b":"\\"cloud_access_key_id\\":1"}`,
    `{"${'k'.repeat(500)}":"a, \\"b","c":[{"d":","}]}`,
    '{"a":1,"b',
    '{"messages":"cloud_access_key_id","n":12345678901234567890}  ',
  ])('leave everything else unchanged: %s', (text) => {
    for (const pieceBytes of [1, 3, 1000]) expect(filter(text, pieceBytes)).toBe(text);
  });

  it.each([
    ['{"model":"m","model":"n"}', { model: 'm' }],
    ['{"model":"m","input":["a"],"model" : {"b":1}, "mode\\u006c":"o"}', { model: 'm', input: ['a'] }],
    [
      '{"input":{"model":"deeper"},"model":"m","n":1,"model":"n"}',
      { input: { model: 'deeper' }, model: 'm', n: 1 },
    ],
  ])('a second model is removed from %s for any split into chunks', (text, rest) => {
    for (const pieceBytes of [1, 3, 1000]) {
      const out = filter(text, pieceBytes);
      expect(Buffer.byteLength(out)).toBe(Buffer.byteLength(text));
      expect(JSON.parse(out)).toEqual(rest);
      expect(out.match(/mode/g)).toHaveLength(text.includes('deeper') ? 2 : 1);
    }
  });

  it('buffers only the bytes between two fields', () => {
    const text = `{"a":1,${' '.repeat(100_000)}"b":2}`;
    expect(() => filter(text, 4096)).toThrow(expect.objectContaining({ code: 'malformed_json' }));
  });
});
