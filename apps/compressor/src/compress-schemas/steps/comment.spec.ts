import { compressedSchema } from '../compressed-text.fixture.ts';

describe('$comment', () => {
  it('is dropped as a comment', () => {
    const schema = { $comment: 'a', properties: { a: { items: { $comment: 'b', type: 'string' } } } };
    expect(compressedSchema(schema)).toEqual({
      schema: { properties: { a: { items: { type: 'string' } } } },
      steps: ['$comment'],
    });
  });

  it('is kept as a property name or value', () => {
    const schema = { properties: { $comment: { const: { $comment: 'a' } } } };
    expect(compressedSchema(schema)).toEqual({ schema, steps: [] });
  });
});
