import { compressedSchema } from '../compressed-text.fixture.ts';

describe('$comment', () => {
  it('is dropped when it is a comment', () => {
    const schema = { $comment: 'a', properties: { a: { items: { $comment: 'b', type: 'string' } } } };
    expect(compressedSchema(schema)).toEqual({
      schema: { properties: { a: { items: { type: 'string' } } } },
      steps: ['$comment'],
    });
  });

  it('is kept when it is a property name or a value', () => {
    const schema = { properties: { $comment: { const: { $comment: 'a' } } } };
    expect(compressedSchema(schema)).toEqual({ schema, steps: [] });
  });
});
