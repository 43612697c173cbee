import { compressedSchema } from '../compressed-text.fixture.ts';

const draft7 = 'http://json-schema.org/draft-07/schema#';
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

describe('$schema', () => {
  it.each([
    { type: 'object', properties: { a: { exclusiveMinimum: 1 } }, additionalProperties: false },
    { $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } }, properties: { a: { $ref: '#' } } },
    { properties: { a: { $ref: '#/$defs/b', description: 'beside it' } }, $defs: { b: {} } },
  ])('is dropped if every draft interprets the schema identically: %j', (schema) => {
    for (const $schema of [draft7, draft2020]) {
      expect(compressedSchema({ $schema, ...schema })).toEqual({ schema, steps: ['$schema'] });
    }
  });

  it.each([
    ['a tuple', { $schema: draft7, items: [{ type: 'string' }] }],
    [
      'a reference with neighbours',
      { $schema: draft7, $defs: { b: {} }, properties: { a: { $ref: '#/$defs/b', type: 'string' } } },
    ],
    [
      'a reference to an odd place',
      { $schema: draft7, properties: { a: { $ref: '#/properties/b' }, b: {} } },
    ],
    ['a keyword of some drafts', { $schema: draft2020, dependentRequired: { a: ['b'] } }],
    ['a nested dialect', { $schema: draft2020, properties: { a: { $schema: draft7 } } }],
    ['draft 04', { $schema: 'http://json-schema.org/draft-04/schema#', exclusiveMinimum: true, minimum: 0 }],
    ['a dialect nobody knows', { $schema: 'https://example.com/mine', type: 'object' }],
    ['a property of that name', { properties: { $schema: { type: 'string' } } }],
  ])('is kept with %s', (_, schema) => {
    expect(compressedSchema(schema)).toEqual({ schema, steps: [] });
  });
});
