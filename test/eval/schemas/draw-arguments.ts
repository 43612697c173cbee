type Schema = Readonly<Record<string, unknown>>;

/** Returns an integer from 0 up to, but not including, `below`. */
export type Draw = (below: number) => number;

/** Returns a linear congruential generator. With the same seed, it produces the same numbers in every run. */
export function createDraw(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const depthMax = 6;
const strays: readonly unknown[] = [null, true, 0, -1, 1.5, '', 'stray', [], {}, ['a', 1], { stray: 1 }];

/**
 * Returns a random value for a JSON Schema. Most values match the schema, and some values violate the schema.
 */
export function drawArguments(schema: unknown, draw: Draw, depth = 0): unknown {
  if (draw(12) === 0 || depth > depthMax || typeof schema !== 'object' || schema === null) {
    return strays[draw(strays.length)];
  }
  const { enum: options, const: only, anyOf, oneOf, allOf } = schema as Schema;
  if (only !== undefined) return only;
  if (Array.isArray(options) && options.length > 0) return options[draw(options.length)] as unknown;
  const branches = [anyOf, oneOf, allOf].find((list) => Array.isArray(list) && list.length > 0) as
    unknown[] | undefined;
  if (branches !== undefined) return drawArguments(branches[draw(branches.length)], draw, depth + 1);
  return drawOfType(schema as Schema, draw, depth);
}

function drawOfType(schema: Schema, draw: Draw, depth: number): unknown {
  const { type: types } = schema;
  const type = Array.isArray(types) ? (types[draw(types.length)] as unknown) : types;
  switch (type) {
    case 'string':
      return ['', 'a', 'abcdef', '2026-11-20', 'user@example.test', '12345'][draw(6)];
    case 'integer':
      return draw(200) - 20;
    case 'number':
      return (draw(2_000) - 200) / 4;
    case 'boolean':
      return draw(2) === 0;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: draw(4) }, () => drawArguments(schema['items'] ?? {}, draw, depth + 1));
    default:
      return drawObject(schema, draw, depth);
  }
}

function drawObject({ properties, required }: Schema, draw: Draw, depth: number): unknown {
  const names = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const mandatory = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const members = names.flatMap(([name, member]): [string, unknown][] => {
    const isIn = mandatory.has(name) ? draw(15) > 0 : draw(2) === 0;
    return isIn ? [[name, drawArguments(member, draw, depth + 1)]] : [];
  });
  if (draw(10) === 0) members.push(['stray', draw(3)]);
  return Object.fromEntries(members);
}
