import { readFileSync } from 'node:fs';
import { findSharedData, skipUnless } from '@gateway/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fillArguments } from './fill-arguments.ts';
import type { Schema } from './schema.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

function errorsOf(
  schema: Schema,
  message = 'Please search "hello world" for 42 items in octo/hello',
): unknown {
  const validate = ajv.compile(schema);
  return validate(fillArguments(schema, message)) ? null : validate.errors;
}

const object = (properties: Schema, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

describe('the tool arguments that the sandbox provider creates', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: [] };
  const cases: [string, Schema][] = [
    [
      'types',
      object({ a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean' }, d: { type: 'null' } }),
    ],
    ['alternatives of types', object({ a: { type: ['null', 'number'] } })],
    [
      'enum and const',
      object({ a: { enum: ['x', 'y'] }, b: { const: 7 }, c: { type: 'integer', enum: [3, 4] } }),
    ],
    [
      'bounds',
      object({
        a: { type: 'integer', minimum: 50, maximum: 60 },
        b: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      }),
    ],
    ['steps', object({ a: { type: 'integer', multipleOf: 5, minimum: 7 } })],
    ['lengths', object({ a: { type: 'string', minLength: 40 }, b: { type: 'string', maxLength: 3 } })],
    [
      'patterns',
      object({
        a: { type: 'string', pattern: '^[A-Z]{3}$' },
        b: { type: 'string', pattern: '^\\d{2}:\\d{2}$' },
      }),
    ],
    ['arrays', object({ a: { type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true } })],
    [
      'unique members of an enum',
      object({ a: { type: 'array', items: { enum: ['p', 'q'] }, minItems: 2, uniqueItems: true } }),
    ],
    [
      'tuples',
      object({ a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2 } }),
    ],
    ['nested objects', object({ a: object({ b: object({ c: { type: 'string' } }) }) })],
    ['anyOf', object({ a: { anyOf: [{ type: 'null' }, object({ b: { type: 'integer' } })] } })],
    [
      'allOf',
      object({
        a: { allOf: [{ type: 'object', properties: { b: { type: 'integer' } } }, { required: ['b'] }] },
      }),
    ],
    [
      'references',
      object({ a: { $ref: '#/$defs/point' } }, { $defs: { point: object({ x: { type: 'number' } }) } }),
    ],
    ['circles', object({ a: { $ref: '#/$defs/node' } }, { $defs: { node } })],
    [
      'an invalid default',
      object({ a: { type: 'string', default: null }, b: { type: 'integer', default: 'x' } }),
    ],
    [
      'required names without a property',
      { type: 'object', required: ['a'], additionalProperties: { type: 'integer' } },
    ],
    ['no parameters', {}],
  ];

  it.each(cases)('satisfy a schema of the kind: %s', (_what, schema) => {
    expect(errorsOf(schema)).toBeNull();
  });

  it('are an empty object for a tool without a schema', () => {
    expect(fillArguments(null, 'hello')).toEqual({});
  });

  it('are created in bounded time for an exponential pattern and a very deep schema', () => {
    const before = process.cpuUsage();
    fillArguments(object({ a: { type: 'string', pattern: '^(a+)+$' } }), `"${'a'.repeat(300)}!"`);
    let deep: Schema = { type: 'string' };
    for (let depth = 0; depth < 2_000; depth += 1) deep = object({ a: deep });
    fillArguments(deep, 'hello');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});

describe('the tool arguments that the sandbox provider takes from a message', () => {
  it.each([
    ['Merge pull request #42 of octo/hello', { owner: 'octo', repo: 'hello', number: 42 }],
    ['close issue 7, owner: acme, repo: shop', { owner: 'acme', repo: 'shop', number: 7 }],
  ])('are complete for the message: %s', (message, expected) => {
    const schema = object({
      owner: { type: 'string' },
      repo: { type: 'string' },
      number: { type: 'integer' },
    });
    expect(fillArguments(schema, message)).toEqual(expected);
  });

  it('include an optional property only if the message mentions the property', () => {
    const schema = {
      type: 'object',
      properties: {
        state: { enum: ['open', 'closed'] },
        order: { enum: ['asc', 'desc'] },
        body: { type: 'string' },
      },
    };
    expect(fillArguments(schema, 'the closed ones, with body "It breaks."')).toEqual({
      state: 'closed',
      body: 'It breaks.',
    });
  });
});

const sharedTools = findSharedData('tools/tools.jsonl') ?? '';
// The collection of real tool schemas is not part of the repository, but CI requires it.
// If the collection is missing, only the tests with the schemas in this file run.
skipUnless(sharedTools !== '', it)(
  "tool arguments satisfy the schemas of real tools, including GitHub's own server",
  () => {
    const lines = readFileSync(sharedTools, 'utf8').trim().split('\n');
    // Compiling validators takes most of the time, so the test samples each set of schemas.
    const chosen = lines.filter((line, at) => at % 60 === 0 || line.includes('"github_mcp"'));
    const schemas = chosen.map((line) => (JSON.parse(line) as { parameters: Schema | null }).parameters);
    const failed = schemas.filter((schema) => {
      if (schema === null) return false;
      try {
        return errorsOf(schema) !== null;
      } catch {
        return false; // The test skips an invalid schema, because no arguments can satisfy it.
      }
    });
    expect(schemas.length).toBeGreaterThan(400);
    expect(failed).toEqual([]);
  },
  60_000,
);
