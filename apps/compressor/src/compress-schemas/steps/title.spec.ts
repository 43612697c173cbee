import { compressedSchema } from '../compressed-text.fixture.ts';

const compress = (schema: unknown): unknown => compressedSchema(schema).schema;

describe('titles', () => {
  it.each([
    ['on the whole schema', { title: 'CreateIssueArguments', type: 'object' }, { type: 'object' }],
    [
      'that repeat the name of their property',
      { properties: { userId: { title: 'User ID', type: 'integer' } } },
      { properties: { userId: { type: 'integer' } } },
    ],
    [
      'beside a description',
      { properties: { user: { title: 'Account', description: 'Who opens it' } } },
      { properties: { user: { description: 'Who opens it' } } },
    ],
    [
      'in branches, items and definitions with a description',
      {
        $defs: {
          a: { anyOf: [{ title: 'T', description: 'D' }, { items: { title: 'T', description: 'D' } }] },
        },
      },
      { $defs: { a: { anyOf: [{ description: 'D' }, { items: { description: 'D' } }] } } },
    ],
  ])('%s are dropped', (_, schema, expected) => {
    expect(compress(schema)).toEqual(expected);
  });

  it.each([
    [
      'that are all that is said of a property',
      { properties: { at: { title: 'RFC 3339 date', type: 'string' } } },
    ],
    [
      'that say more than a description which only repeats the name',
      { properties: { user: { title: 'Login of the owner' } } },
    ],
    ['that name a property', { properties: { title: { type: 'string' } }, required: ['title'] }],
    [
      'in values',
      {
        enum: [{ title: 'a', description: 'b' }],
        default: { title: 'create issue' },
        examples: [{ title: '' }],
      },
    ],
    ['in constants', { properties: { a: { const: { title: 'a', description: 'b' } } } }],
    ['under a keyword nobody knows', { 'x-ui': { title: 'a', description: 'b' } }],
    ['that are no text', { properties: { a: { title: { description: 'b' }, description: 'c' } } }],
  ])('%s are kept', (_, schema) => {
    expect(compress(schema)).toEqual(schema);
  });

  it('are kept where the description next to them is dropped', () => {
    const schema = { properties: { user: { title: 'Login of the owner', description: 'The user' } } };
    expect(compress(schema)).toEqual({ properties: { user: { title: 'Login of the owner' } } });
  });
});
