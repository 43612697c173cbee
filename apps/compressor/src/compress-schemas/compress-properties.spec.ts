import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { applyEdits } from '@gateway/wire-formats';
import { compressDefinition } from './compress-definition.ts';
import { compressedText } from './compressed-text.fixture.ts';

const options = { strict: false, validateFormats: false, logger: false } as const;
const ajv7 = new Ajv(options);
const ajv2020 = new Ajv2020(options);

const drafts = [
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2020-12/schema',
] as const;
/** Names that are keywords elsewhere: the worst case for whoever mistakes one for the other. */
const propertyName = fc.constantFrom(
  'title',
  'description',
  '$schema',
  '$comment',
  'enum',
  'user_id',
  'properties',
  'a',
);
const text = fc.constantFrom('', 'User ID', 'user_id', 'title', 'A', 'Something more', '東京', ' a ');
const value = fc.oneof(
  fc.constantFrom(0, 1, 5, -1, 1.5, true, null, 'a', 'title', '', 'abcdef'),
  fc.array(fc.constantFrom(1, 'a', null), { maxLength: 3 }),
  fc.dictionary(propertyName, fc.constantFrom(1, 'a', 'title', null), { maxKeys: 3 }),
);
const annotations = {
  title: text,
  description: text,
  $comment: text,
  default: value,
  examples: fc.array(value, { maxLength: 2 }),
};

const { schema } = fc.letrec<{
  schema: Record<string, unknown>;
  leaf: Record<string, unknown>;
  node: Record<string, unknown>;
}>((tie) => ({
  schema: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('leaf'), tie('node')),
  leaf: fc.record(
    {
      ...annotations,
      type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'object', 'array', 'null', [
        'string',
        'null',
      ]),
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) }),
      const: value,
      minimum: fc.integer({ min: -2, max: 4 }),
      exclusiveMaximum: fc.integer({ min: -2, max: 4 }),
      maxLength: fc.integer({ min: 0, max: 4 }),
      pattern: fc.constantFrom('^a', 't'),
      $ref: fc.constantFrom('#', '#/$defs/user_id', '#/properties/a'),
      'x-note': value,
    },
    { requiredKeys: [] },
  ),
  node: fc.record(
    {
      ...annotations,
      type: fc.constant('object'),
      properties: fc.dictionary(propertyName, tie('schema'), { maxKeys: 4 }),
      required: fc.uniqueArray(propertyName, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      items: tie('schema'),
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      not: tie('leaf'),
      dependentRequired: fc.constant({ title: ['a'] }),
      if: tie('leaf'),
      then: tie('leaf'),
      minProperties: fc.integer({ min: 0, max: 2 }),
    },
    { requiredKeys: [] },
  ),
}));

const rooted = fc
  .tuple(schema, fc.option(fc.constantFrom(...drafts)), schema)
  .map(([root, $schema, definition]): Record<string, unknown> => ({
    ...($schema === null ? {} : { $schema }),
    ...root,
    $defs: { user_id: definition },
    properties: { a: {}, ...(root['properties'] as object | undefined) },
  }));
const form = fc.constantFrom('function', 'messages', 'converse');
const indent = fc.constantFrom(undefined, 1, 2, '\t');
const definitionText = fc.tuple(rooted, form, indent, text).map(([each, kind, space, description]) => {
  const body = { name: 'user_id', description };
  if (kind === 'function')
    return JSON.stringify({ type: 'function', function: { ...body, parameters: each } }, null, space);
  if (kind === 'messages') return JSON.stringify({ ...body, input_schema: each }, null, space);
  return JSON.stringify({ toolSpec: { ...body, inputSchema: { json: each } } }, null, space);
});

interface AnyTool {
  readonly function?: { readonly parameters: object };
  readonly input_schema?: object;
  readonly toolSpec?: { readonly inputSchema: { readonly json: object } };
}

function schemaOf(definition: string): object {
  const tool = JSON.parse(definition) as AnyTool;
  return tool.function?.parameters ?? tool.input_schema ?? tool.toolSpec?.inputSchema.json ?? {};
}

const values = fc.array(value, { minLength: 20, maxLength: 20 });

/**
 * What each value is by the dialect that the schema names; without one by both, for a provider may take either.
 * Undefined when no verdict can be had.
 */
function judgeAll(schemaToJudge: object, each: readonly unknown[]): boolean[][] | undefined {
  const named = (schemaToJudge as { $schema?: string }).$schema;
  const judges = named === undefined ? [ajv7, ajv2020] : [named === drafts[0] ? ajv7 : ajv2020];
  try {
    return judges.map((ajv) => {
      const validate = ajv.compile(schemaToJudge);
      return each.map((instance) => validate(instance));
    });
  } catch {
    return undefined;
  } finally {
    for (const ajv of judges) ajv.removeSchema(schemaToJudge);
  }
}

describe('whatever the definition', () => {
  it('the same arguments are valid before and after', () => {
    let judged = 0;
    fc.assert(
      fc.property(definitionText, values, (definition, each) => {
        const before = judgeAll(schemaOf(definition), each);
        // Not a schema (a reference into nowhere or in a circle): there is nothing to compare.
        fc.pre(before !== undefined);
        const after = judgeAll(schemaOf(compressedText(definition)), each);
        judged += each.length;
        // Where $schema went, both drafts must say what the named one said.
        for (const verdicts of after ?? []) expect(before).toContainEqual(verdicts);
        expect(after).toBeDefined();
      }),
      { numRuns: 60 },
    );
    expect(judged).toBeGreaterThan(1000);
  });

  it('the edits are ascending and apart, the result is JSON and never longer, and a second time changes nothing', () => {
    fc.assert(
      fc.property(definitionText, (definition) => {
        const bytes = Buffer.from(definition);
        const { edits } = compressDefinition(definition);
        const after = applyEdits(bytes, edits);
        expect(() => JSON.parse(after.toString()) as unknown).not.toThrow();
        expect(after.length).toBeLessThanOrEqual(bytes.length);
        expect(compressDefinition(after.toString())).toEqual({ edits: [], steps: [] });
        expect(compressDefinition(definition).edits).toEqual(edits);
      }),
      { numRuns: 200 },
    );
  });

  it('any text at all is answered, and what is JSON stays the same JSON in kind', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.json()), (any) => {
        expect(compressedText(any)).toBe(Buffer.from(any).toString());
      }),
      { numRuns: 300 },
    );
  });
});
