import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { applyEdits } from '@gateway/wire-formats';
import { compressDefinition } from './compress-schemas.ts';
import { compressedText } from './compressed-text.fixture.ts';

const options = { strict: false, validateFormats: false, logger: false } as const;
const ajv7 = new Ajv(options);
const ajv2020 = new Ajv2020(options);

const drafts = [
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2020-12/schema',
] as const;
/**
 * Property names that are also schema keywords, so that the test detects any confusion between names and
 * keywords.
 */
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
const long = 'This sentence has little to say. For example, it is long. Never mind: use "a". '.repeat(30);
const text = fc.constantFrom(
  '',
  'User ID',
  'user_id',
  'title',
  'A',
  'Something more',
  '東京',
  ' a ',
  long,
  `${long}\n${long}\\n`,
);
const mode = fc.constantFrom('lossless', 'balanced');
const value = fc.oneof(
  fc.constantFrom(0, 1, 5, -1, 1.5, true, null, 'a', 'title', '', 'abcdef'),
  fc.array(fc.constantFrom(1, 'a', null), { maxLength: 3 }),
  fc.dictionary(propertyName, fc.constantFrom(1, 'a', 'title', null), { maxKeys: 3 }),
);
const one = <Value>(key: string, arbitrary: fc.Arbitrary<Value>) =>
  arbitrary.map((each) => ({ [key]: each }));
const annotations = fc
  .array(
    fc.oneof(
      one('title', text),
      one('description', text),
      one('$comment', text),
      one('default', value),
      one('x-note', value),
      one('examples', fc.array(value, { maxLength: 2 })),
    ),
    { maxLength: 3 },
  )
  .map((each): object => Object.assign({}, ...each) as object);

/**
 * Schemas with one constraint each. Arguments are therefore often valid, and differences between JSON Schema
 * drafts become visible.
 */
const { schema } = fc.letrec<{ schema: object; leaf: object; branch: object }>((tie) => ({
  schema: fc
    .tuple(fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('branch')), annotations)
    .map(([constraint, notes]) => ({ ...notes, ...constraint })),
  leaf: fc.oneof(
    fc.constant({}),
    one('type', fc.constantFrom('string', 'integer', 'object', 'array', ['string', 'null'])),
    one(
      'enum',
      fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) }),
    ),
    one('const', value),
    one('exclusiveMaximum', fc.integer({ min: -2, max: 4 })),
    one('pattern', fc.constantFrom('^a', 't')),
    one('required', fc.uniqueArray(propertyName, { maxLength: 2 })),
    one('dependentRequired', fc.constant({ title: ['a'] })),
    one('dependencies', fc.constant({ title: ['a'] })),
    one('minContains', fc.constant(2)).map((each) => ({ contains: { type: 'integer' }, ...each })),
    one('$ref', fc.constantFrom('#/$defs/user_id', '#/properties/a')),
  ),
  branch: fc.oneof(
    one('properties', fc.dictionary(propertyName, tie('schema'), { minKeys: 1, maxKeys: 3 })),
    one('additionalProperties', fc.oneof(fc.boolean(), tie('schema'))),
    one('items', tie('schema')),
    one('anyOf', fc.array(tie('schema'), { minLength: 1, maxLength: 2 })),
    one('not', tie('schema')),
    fc.tuple(tie('schema'), tie('schema')).map(([condition, then]) => ({ if: condition, then })),
  ),
}));

const rooted = fc
  .tuple(schema, fc.option(fc.constantFrom(...drafts)), schema)
  .map(([root, $schema, definition]): Record<string, unknown> => ({
    properties: { a: {} },
    ...($schema === null ? {} : { $schema }),
    ...root,
    $defs: { user_id: definition },
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

const annotationNames = ['title', 'description', '$comment'];

/**
 * Tool arguments that are nearly valid. The arguments are built from the constants in the schema, with and
 * without the fields in `annotationNames`.
 */
function probesOf(each: unknown): unknown[] {
  if (typeof each !== 'object' || each === null) return [];
  const { const: constant, enum: allowed, properties, items, ...others } = each as Record<string, unknown>;
  const own = [constant, ...(Array.isArray(allowed) ? allowed : [])].filter((probe) => probe !== undefined);
  const inner = Object.values(others).flatMap((part) =>
    (Array.isArray(part) ? part : [part]).flatMap(probesOf),
  );
  const members = Object.entries(properties ?? {}).flatMap(([key, part]) =>
    probesOf(part).map((probe) => ({ [key]: probe })),
  );
  const elements = probesOf(items).map((probe) => [probe]);
  return [...own, ...own.map(withoutNotes), ...inner, ...members, ...elements].slice(0, 60);
}

function withoutNotes(probe: unknown): unknown {
  if (typeof probe !== 'object' || probe === null || Array.isArray(probe)) return probe;
  return Object.fromEntries(Object.entries(probe).filter(([key]) => !annotationNames.includes(key)));
}

const values = fc.array(value, { minLength: 20, maxLength: 20 });

/**
 * Validates each value under the dialect that the schema declares, or under both dialects if the schema
 * declares none. Undefined if the schema cannot be compiled.
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

describe('any tool definition', () => {
  it('accepts the same arguments before and after compression', () => {
    let judged = 0;
    fc.assert(
      fc.property(definitionText, values, mode, (definition, random, inMode) => {
        const each = [...random, ...probesOf(schemaOf(definition))];
        const before = judgeAll(schemaOf(definition), each);
        // The test skips invalid schemas, for example with a dangling or circular reference.
        fc.pre(before !== undefined);
        const after = judgeAll(schemaOf(compressedText(definition, inMode)), each);
        judged += each.length;
        // A compressed schema without `$schema` is validated under both drafts.
        // Each list of verdicts must equal a list of verdicts for the original schema.
        for (const verdicts of after ?? []) expect(before).toContainEqual(verdicts);
        expect(after).toBeDefined();
      }),
      { numRuns: 300 },
    );
    expect(judged).toBeGreaterThan(1000);
  });

  it('gets ordered edits without overlaps, shorter valid JSON, and no edits in a second compression', () => {
    fc.assert(
      fc.property(definitionText, mode, (definition, inMode) => {
        const bytes = Buffer.from(definition);
        const { edits } = compressDefinition(definition, inMode);
        const after = applyEdits(bytes, edits);
        expect(() => JSON.parse(after.toString()) as unknown).not.toThrow();
        expect(after.length).toBeLessThanOrEqual(bytes.length);
        expect(compressDefinition(after.toString(), inMode)).toEqual({ edits: [], steps: [] });
        expect(compressDefinition(definition, inMode).edits).toEqual(edits);
      }),
      { numRuns: 200 },
    );
  });

  it('remains unchanged if the text is not a tool definition', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.json()), (any) => {
        expect(compressedText(any)).toBe(Buffer.from(any).toString());
      }),
      { numRuns: 300 },
    );
  });
});
