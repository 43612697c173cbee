import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assessList } from './assess-tools.ts';
import type { OfferedTool } from './assessed-tool.ts';

const file = join(import.meta.dirname, '../../../../libs/testing/data/github-tools.json');
interface FunctionTool {
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}
const github = (JSON.parse(readFileSync(file, 'utf8')) as FunctionTool[]).map(({ function: tool }) =>
  offer(tool.name, tool.description, tool.parameters),
);

function offer(name: string, description = '', parameters: unknown = null): OfferedTool {
  return { name, description, parameters, examples: [] };
}

/** An object schema in which all properties are required and have descriptions. */
const schemaOf = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(
    names.map((name) => [name, { type: 'string', description: `The ${name}.` }]),
  ),
  required: names,
});
const find = (tools: readonly OfferedTool[], name: string) =>
  assessList(tools).find((tool) => tool.name === name)!;
const codesOf = (tool: OfferedTool) => assessList([tool])[0]!.issues.map(({ code }) => code);

describe('the score for a tool definition', () => {
  it('is 100 if the definition names its action, its object and its inputs', () => {
    const tool = offer('get_invoice', 'Gets an invoice with its lines, by number.', schemaOf('number'));
    expect(assessList([tool])[0]).toMatchObject({ score: 100, issues: [] });
  });

  it.each([
    [offer('get_invoice', '', schemaOf('number')), 'no_description'],
    [offer('get_invoice', 'Invoice lines', schemaOf('number')), 'short_description'],
    [offer('get_invoice', `Gets an invoice by number. ${'x '.repeat(1_500)}`), 'long_description'],
    [offer('invoice', 'The invoice of a customer, with all lines'), 'no_verb'],
    [offer('get_invoice', 'Get the given existing invoice'), 'repeats_name'],
    [
      offer('get_invoice', 'Gets an invoice with its lines', { properties: { number: { type: 'string' } } }),
      'undocumented_parameters',
    ],
    [
      offer('get_invoice', 'Gets an invoice with its lines', { type: 'object', additionalProperties: true }),
      'schema_smell',
    ],
    [offer('get_invoice', 'Gets an invoice with its lines', { properties: { data: {} } }), 'schema_smell'],
  ])('loses points for a defect in the definition: case %#', (tool, code) => {
    expect(codesOf(tool)).toContain(code);
    expect(assessList([tool])[0]!.score).toBeLessThan(100);
  });

  it.each([null, [], 'x', { properties: null }, { properties: { a: null } }, { properties: [1] }])(
    'is computed for any schema: %j',
    (parameters) => {
      const { score } = assessList([offer('x', 'Whatever it may be', parameters)])[0]!;
      expect(score).toBeGreaterThanOrEqual(0);
    },
  );
});

describe('near-duplicate tools', () => {
  const planted = [
    offer('fetch_user', 'Fetch a user', schemaOf('login')),
    offer('get_user', 'Get a user', schemaOf('user_id')),
    offer('retrieve_gist', 'Retrieve a gist', schemaOf('gist_url')),
    offer('find_users', 'Find users', schemaOf('team')),
  ];

  it.each([
    ['get_user', 'fetch_user'],
    ['fetch_user', 'get_user'],
    ['retrieve_gist', 'get_gist'],
    ['find_users', 'search_users'],
  ])('%s is found to be similar to %s among GitHub’s tools', (name, other) => {
    const { near, issues } = find([...github, ...planted], name);
    expect(near[0]).toEqual({ name: other, similarity: 1 });
    expect(issues.map(({ code }) => code)).toContain('near_duplicate');
  });

  it('get a suggested wording from their own parameters, or no suggestion if no parameter distinguishes the tools', () => {
    const [wording] = find([...github, ...planted], 'get_user').wordings;
    expect(wording).toEqual({
      ...{ collidesWith: 'fetch_user', description: 'Get user by user id.' },
      examples: ['get user by user id', 'fetch user by user id'],
    });
    const twins = [
      offer('get_user', 'Get it', schemaOf('id')),
      offer('fetch_user', 'Get it', schemaOf('id')),
    ];
    expect(find(twins, 'get_user')).toMatchObject({ near: [{ name: 'fetch_user' }], wordings: [] });
  });

  it('are rare in a clean tool list: nine out of ten of GitHub’s own tools have no issue', () => {
    const withIssues = assessList(github).filter(({ issues }) => issues.length > 0);
    expect(withIssues.length / github.length).toBeLessThanOrEqual(0.1);
  });

  it('do not include tools with different actions or different objects', () => {
    const tools = [
      offer('get_user', 'Get a user account'),
      offer('delete_user', 'Delete a user account'),
      offer('get_team', 'Get a team'),
    ];
    expect(assessList(tools).flatMap(({ near }) => near)).toEqual([]);
  });
});
