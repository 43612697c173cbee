import { compressedSchema } from '../compressed-text.fixture.ts';

describe('$comment', () => {
  it('goes where it is a comment', () => {
    const schema = { $comment: 'a', properties: { a: { items: { $comment: 'b', type: 'string' } } } };
    expect(compressedSchema(schema)).toEqual({
      schema: { properties: { a: { items: { type: 'string' } } } },
      steps: ['$comment'],
    });
  });

  it('stays where it is a property or a value', () => {
    const schema = { properties: { $comment: { const: { $comment: 'a' } } } };
    expect(compressedSchema(schema)).toEqual({ schema, steps: [] });
  });
});
