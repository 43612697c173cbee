import fc from 'fast-check';
import { JsonArrayDecoder } from './json-array-stream.ts';

function decode(chunks: readonly Uint8Array[], max = 1_000_000): { elements: string[]; isWhole: boolean } {
  const decoder = new JsonArrayDecoder(max);
  const elements = chunks.flatMap((chunk) => decoder.push(chunk));
  return { elements, isWhole: decoder.isWhole };
}

describe('JsonArrayDecoder', () => {
  it('returns every object in a list, for any chunk boundaries', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    const cuts = fc.array(fc.nat(200));
    fc.assert(
      fc.property(fc.array(object, { maxLength: 5 }), cuts, fc.boolean(), (objects, places, isWide) => {
        const bytes = Buffer.from(JSON.stringify(objects, undefined, isWide ? 2 : 0));
        const ends = [
          ...places.filter((at) => at < bytes.length).sort((one, other) => one - other),
          bytes.length,
        ];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const { elements, isWhole } = decode(chunks);
        expect(elements.map((text) => JSON.parse(text) as unknown)).toEqual(
          JSON.parse(JSON.stringify(objects)),
        );
        expect(isWhole).toBe(true);
      }),
    );
  });

  it('is complete only after the closing bracket, and accepts a single object as a list', () => {
    expect(decode([Buffer.from('[{"a":"]"}\n,{"b":1}')])).toEqual({
      elements: ['{"a":"]"}', '{"b":1}'],
      isWhole: false,
    });
    expect(decode([Buffer.from(' {"a":{"b":"}\\""}} ')])).toEqual({
      elements: ['{"a":{"b":"}\\""}}'],
      isWhole: true,
    });
  });

  it('rejects an element above the size limit, in one or many chunks', () => {
    const long = Buffer.from(`[{"a":"${'x'.repeat(100)}"}]`);
    expect(() => decode([long], 64)).toThrow(RangeError);
    const bytes = [...long].map((byte) => Buffer.from([byte]));
    expect(() => decode(bytes, 64)).toThrow(RangeError);
    expect(decode(bytes, 200).elements).toHaveLength(1);
  });
});
