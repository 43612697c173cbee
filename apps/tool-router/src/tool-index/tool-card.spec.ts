import type { ToolDefinition } from '@gateway/contracts';
import { makeToolCard } from './tool-card.ts';

function tool(fields: Partial<ToolDefinition>): ToolDefinition {
  return { hash: 'a'.repeat(64), name: 'tool', description: '', parameters: null, examples: [], ...fields };
}

describe('makeToolCard', () => {
  it('weights a name twice, and a parameter description a quarter as much as a description', () => {
    const { terms, counts } = makeToolCard(
      tool({
        name: 'alpha',
        description: 'beta',
        parameters: { properties: { gamma: { description: 'delta', enum: ['epsilon', 4] } } },
        examples: ['zeta'],
      }),
    );
    expect(Object.fromEntries(terms.map(({ token }, at) => [token, counts[at]]))).toEqual({
      alpha: 8,
      beta: 4,
      gamma: 4,
      delta: 1,
      epsilon: 1,
      zeta: 4,
    });
  });

  it('measures the definition and its parameters in characters of JSON', () => {
    const card = makeToolCard(tool({ name: 'get', description: 'Get it', parameters: { type: 'object' } }));
    expect(card).toMatchObject({ parameterCharacters: 17, definitionCharacters: 5 + 8 + 17 });
  });

  it('returns no words for a tool without text', () => {
    expect(makeToolCard(tool({ name: null })).terms).toEqual([]);
  });

  it('reads nested parameters, including those under anyOf, items and $defs', () => {
    const { terms } = makeToolCard(
      tool({
        parameters: {
          properties: {
            one: { anyOf: [{ properties: { two: {} } }, { items: { properties: { three: {} } } }] },
          },
          $defs: { node: { properties: { four: { $ref: '#/$defs/node' } } } },
        },
      }),
    );
    expect(terms.map(({ token }) => token)).toEqual(expect.arrayContaining(['on', 'two', 'three', 'four']));
  });

  it.each([null, true, 4, 'text', [], { properties: [] }, { properties: { a: null }, anyOf: 4, enum: {} }])(
    'accepts any schema: %j',
    (parameters) => {
      expect(() => makeToolCard(tool({ parameters }))).not.toThrow();
    },
  );

  it('stays bounded in size for recursive, deep, wide and megabyte-long schemas', () => {
    const deep: Record<string, unknown> = {};
    let inner = deep;
    for (let depth = 0; depth < 5000; depth += 1) {
      const next = {};
      inner['properties'] = { [`p${depth}`]: next };
      inner = next;
    }
    const wide = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [`field${at}`, { enum: [`v${at}`] }]),
    );
    const schemas = [
      { $ref: '#', properties: { self: { $ref: '#' } } },
      deep,
      { properties: wide },
      { properties: { a: { description: 'many words '.repeat(100_000) } } },
    ];
    for (const parameters of schemas) {
      const { terms } = makeToolCard(tool({ parameters }));
      expect(terms.length).toBeLessThanOrEqual(4000);
    }
  });
});
