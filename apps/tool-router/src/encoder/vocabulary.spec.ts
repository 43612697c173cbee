import { encoderFields, type EncoderField } from '../inference/inference-protocol.ts';
import { batchTokens, Vocabulary } from './vocabulary.ts';
import { makeToolEncoderText } from './tool-encoder-text.ts';

const tokensMax = Object.fromEntries(encoderFields.map((field) => [field, 4])) as Record<
  EncoderField,
  number
>;
const vocabulary = Vocabulary.parse('issu\ncreat\n', { buckets: 10, tokensMax });

describe('the token ids of a text', () => {
  it('contain each word once per field, with its field id', () => {
    const row = vocabulary.tokenize([
      { field: 'query', text: 'Create issues, creating an issue' },
      { field: 'context', text: 'issue' },
    ]);
    expect(row).toEqual({ tokenIds: [2, 1, 1], fieldIds: [1, 1, 2] });
  });

  it('map unknown words to shared ids, which are the same on every replica', () => {
    const { tokenIds } = vocabulary.tokenize([{ field: 'name', text: 'zebra' }]);
    expect(tokenIds).toEqual([vocabulary.idOf('zebra')]);
    expect(tokenIds[0]).toBeGreaterThan(2);
    expect(tokenIds[0]).toBeLessThan(vocabulary.size);
    expect(vocabulary.idOf('zebra')).toBe(
      new Vocabulary(['issu', 'creat'], { buckets: 10, tokensMax }).idOf('zebra'),
    );
  });

  it('stay within the per-field limit for any text', () => {
    const text = 'one two three four five six seven '.repeat(10_000);
    const { tokenIds } = vocabulary.tokenize([
      { field: 'name', text },
      { field: 'name', text: 'more' },
    ]);
    expect(tokenIds.length).toBeLessThanOrEqual(4);
  });

  it('are padded to the longest text in a batch', () => {
    const { tokenIds, fieldIds, shape } = batchTokens([
      { tokenIds: [1], fieldIds: [3] },
      { tokenIds: [1, 2], fieldIds: [3, 4] },
    ]);
    expect(shape).toEqual([2, 2]);
    expect([...tokenIds]).toEqual([1n, 0n, 1n, 2n]);
    expect([...fieldIds]).toEqual([3n, 0n, 3n, 4n]);
  });

  it('are an empty list for a text without words', () => {
    expect(batchTokens([vocabulary.tokenize([])]).shape).toEqual([1, 1]);
  });
});

it('include a tool’s name, description and parameters, within limits', () => {
  const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field_${at}`, {}]));
  const text = makeToolEncoderText({
    hash: '',
    name: 'create_issue',
    description: 'Creates one.',
    parameters: { properties },
    examples: ['open a ticket'],
  });
  expect(text.slice(0, 3).map(({ field }) => field)).toEqual(['name', 'description', 'example']);
  expect(text.length).toBeLessThanOrEqual(256);
});
