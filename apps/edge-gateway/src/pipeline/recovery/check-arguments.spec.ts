import { checkArguments } from './check-arguments.ts';

const issue = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    labels: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    state: { enum: ['open', 'closed'] },
    count: { type: 'integer', minimum: 1 },
    who: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    parent: { $ref: '#/$defs/ref' },
  },
  required: ['title'],
  additionalProperties: false,
  $defs: { ref: { type: 'object', properties: { parent: { $ref: '#/$defs/ref' } }, required: ['id'] } },
};

describe('checkArguments', () => {
  it.each([
    [{ title: 'x' }],
    [{ title: 'x', labels: ['a'], state: 'open', count: 3, who: null }],
    [{ title: 'x', parent: { id: 1, parent: { id: 2 } } }],
  ])('accepts valid arguments: %j', (given) => {
    expect(checkArguments(issue, JSON.stringify(given))).toEqual([]);
  });

  it.each([
    [{}, /title is required/],
    [{ title: 1 }, /title is not of the type string/],
    [{ title: '' }, /minLength/],
    [{ title: 'x', labels: [1] }, /labels\[0\]/],
    [{ title: 'x', labels: ['a', 'b', 'c'] }, /maxItems/],
    [{ title: 'x', state: 'new' }, /none of/],
    [{ title: 'x', count: 1.5 }, /integer/],
    [{ title: 'x', who: 3 }, /anyOf/],
    [{ title: 'x', more: 1 }, /more is not known/],
    [{ title: 'x', parent: { parent: {} } }, /parent\.id is required/],
  ])('reports invalid arguments: %j', (given, problem) => {
    expect(checkArguments(issue, JSON.stringify(given)).join('; ')).toMatch(problem);
  });

  it('rejects arguments that are not a JSON object, regardless of the schema', () => {
    expect(checkArguments(null, '{"a":')).toHaveLength(1);
    expect(checkArguments(null, '[]')).toHaveLength(1);
    expect(checkArguments(null, '')).toEqual([]);
    expect(checkArguments(undefined, '{"a":1}')).toEqual([]);
  });

  it('takes bounded time for any schema: loops, branches, expensive patterns', () => {
    const loop = { $ref: '#' };
    const branches: Record<string, unknown> = { $defs: {} };
    branches.allOf = [{ $ref: '#' }, { $ref: '#' }, { anyOf: [{ $ref: '#' }, { $ref: '#' }] }];
    const wild = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(checkArguments(loop, '{}')).toEqual([]);
    expect(checkArguments(branches, '{}')).toEqual([]);
    expect(checkArguments(wild, JSON.stringify({ a: `${'a'.repeat(5000)}!` }))).toEqual([]);
  });

  it.each([
    ['choices', { enum: Array.from({ length: 20_000 }, (_, at) => `choice ${at}`) }, '"none of them"'],
    ['long choices', { anyOf: Array(5_000).fill({ $ref: '#/long' }) }, '1'],
    ['long texts', { anyOf: Array(15_000).fill({ minLength: 1e9 }) }, JSON.stringify('x'.repeat(50_000))],
    ['required members', { anyOf: [{ $ref: '#/needs' }, {}] }, '{}'],
    [
      'members',
      { anyOf: Array(15_000).fill({ additionalProperties: false }) },
      JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (__, at) => [at, 'x']))),
    ],
  ])('takes bounded time for many or long values: %s', (_, items, item) => {
    const schema = {
      properties: { a: { items } },
      long: { enum: [['x'.repeat(1_000_000)]] },
      needs: { required: Array.from({ length: 20_000 }, (__, at) => `member ${at}`) },
    };
    // The schema checks each array item separately, so a problem with one item does not end the check.
    const branches = {
      properties: { a: { items: { anyOf: [items, {}] } } },
      long: schema.long,
      needs: schema.needs,
    };
    const given = `{"a":[${Array(5_000)
      .fill(item.length > 1_000 ? '1' : item)
      .join(',')},${item}]}`;
    const startedAt = performance.now();
    for (const each of [schema, branches]) checkArguments(each, given);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('treats hostile property names like any other names', () => {
    expect(checkArguments({ properties: {}, required: ['__proto__'] }, '{}')).toHaveLength(1);
    expect(checkArguments({ $ref: '#/constructor/prototype' }, '{"a":1}')).toEqual([]);
  });
});
