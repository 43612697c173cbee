import {
  numberFits,
  scalarFits,
  isObject,
  readList,
  readNumber,
  resolveSchema,
  typeOf,
  type Schema,
} from './schema.ts';
import { fillString } from './fill-string.ts';
import { MessageValues } from './message-values.ts';

const depthMax = 12;
const itemsMax = 100;
/** Maximum number of characters of a message that are read. */
const messageCharsMax = 4_000;

interface Filling {
  readonly root: Schema;
  readonly values: MessageValues;
}

/**
 * Creates arguments for a tool, with every required property and each optional property that the message
 * mentions. The arguments satisfy type, enum, const, bounds, lengths, formats, common patterns, items, `anyOf`,
 * `oneOf`, `allOf` and local `$ref`. The function ignores the keywords `not`, `if` and `dependent…`.
 */
export function fillArguments(parameters: Schema | null, message: string): Record<string, unknown> {
  const values = new MessageValues(message.slice(0, messageCharsMax));
  const filling = { root: parameters ?? {}, values };
  const schema = resolveSchema(
    filling.root,
    chooseBranch(filling, resolveSchema(filling.root, filling.root)),
  );
  return fillObject(filling, schema, 0);
}

function fillValue(filling: Filling, given: unknown, name: string, depth: number): unknown {
  const schema = chooseBranch(filling, resolveSchema(filling.root, given));
  if ('const' in schema) return schema['const'];
  const choices = readList(schema, 'enum');
  if (choices.length > 0) return chooseMember(filling, schema, choices);
  switch (typeOf(schema)) {
    case 'string':
      return scalarFits(schema, schema['default']) && filling.values.named(name) === undefined
        ? schema['default']
        : fillString(schema, name, filling.values);
    case 'number':
    case 'integer':
      return fillNumber(filling, schema);
    case 'boolean':
      return typeof schema['default'] === 'boolean' ? schema['default'] : true;
    case 'array':
      return fillArray(filling, schema, name, depth);
    case 'object':
      return depth >= depthMax ? {} : fillObject(filling, schema, depth);
    case 'null':
      return null;
  }
}

/**
 * Chooses a schema's first alternative that is not null. The other keywords of the schema are merged into the
 * alternative.
 */
function chooseBranch({ root }: Filling, schema: Schema): Schema {
  const branches = [...readList(schema, 'anyOf'), ...readList(schema, 'oneOf')].map((each) =>
    resolveSchema(root, each),
  );
  if (branches.length === 0) return schema;
  const rest = Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== 'anyOf' && key !== 'oneOf'),
  );
  const branch = branches.find((each) => typeOf(each) !== 'null') ?? branches[0] ?? {};
  return {
    ...rest,
    ...branch,
    properties: { ...(rest['properties'] as object), ...(branch['properties'] as object) },
    required: [...readList(rest, 'required'), ...readList(branch, 'required')],
    ...(branch['type'] === undefined && rest['type'] === undefined ? { type: typeOf(branch) } : {}),
  };
}

function mentions({ values }: Filling, member: unknown): boolean {
  if (typeof member !== 'string' || member.length < 2) return false;
  const spoken = member.toLowerCase().replace(/[_-]+/g, ' ');
  return ` ${values.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${spoken} `);
}

function chooseMember(filling: Filling, schema: Schema, members: readonly unknown[]): unknown {
  const mentioned = members.find((member) => mentions(filling, member));
  if (mentioned !== undefined) return mentioned;
  if (members.includes(schema['default'])) return schema['default'];
  return members.find((member) => scalarFits({ type: schema['type'] ?? 'string' }, member)) ?? members[0];
}

function fillNumber({ values }: Filling, schema: Schema): number {
  const fits = (value: number): boolean => numberFits(schema, value);
  const step = readNumber(schema, 'multipleOf') ?? 1;
  const low = readNumber(schema, 'minimum') ?? readNumber(schema, 'exclusiveMinimum');
  const high = readNumber(schema, 'maximum') ?? readNumber(schema, 'exclusiveMaximum');
  const ready = [
    values.number(fits),
    schema['default'],
    1,
    low,
    Math.ceil((low ?? 0) / step) * step,
    (low ?? 0) + step,
    high,
    Math.floor((high ?? 0) / step) * step,
    low === undefined || high === undefined ? undefined : (low + high) / 2,
  ];
  return ready.find((value): value is number => typeof value === 'number' && fits(value)) ?? low ?? 1;
}

function fillArray(filling: Filling, schema: Schema, name: string, depth: number): unknown[] {
  const fixed = [...readList(schema, 'prefixItems'), ...readList(schema, 'items')].slice(0, itemsMax);
  const most = Math.min(readNumber(schema, 'maxItems') ?? itemsMax, itemsMax);
  const least = Math.min(readNumber(schema, 'minItems') ?? 0, itemsMax);
  if (depth >= depthMax || most === 0) return [];
  const filled = fixed.map((each) => fillValue(filling, each, name, depth + 1));
  const each = isObject(schema['items']) ? schema['items'] : {};
  const wanted = Math.max(least, Math.min(1, most));
  const isUnique = schema['uniqueItems'] === true;
  const members = readList(resolveSchema(filling.root, each), 'enum');
  while (filled.length < wanted) {
    const value = fillValue(filling, each, singular(name), depth + 1);
    filled.push(
      isUnique && filled.includes(value) ? (other(members, filled) ?? vary(value, filled.length)) : value,
    );
  }
  return filled;
}

function other(members: readonly unknown[], taken: readonly unknown[]): unknown {
  return members.find((member) => !taken.includes(member));
}

function vary(value: unknown, count: number): unknown {
  if (typeof value === 'number') return value + count;
  return typeof value === 'string' ? `${value}${count}` : value;
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}

function fillObject(filling: Filling, schema: Schema, depth: number): Record<string, unknown> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(readList(schema, 'required').filter((name) => typeof name === 'string'));
  const names = Object.keys(properties);
  const least = Math.min(readNumber(schema, 'minProperties') ?? 0, names.length);
  const chosen = names.filter(
    (name) => required.has(name) || (depth === 0 && isSpokenOf(filling, properties[name], name)),
  );
  chosen.push(...names.filter((name) => !chosen.includes(name)).slice(0, Math.max(0, least - chosen.length)));
  const undeclared = [...required].filter((name) => !Object.hasOwn(properties, name));
  return Object.fromEntries([
    ...names
      .filter((name) => chosen.includes(name))
      .map((name) => [name, fillValue(filling, properties[name], name, depth + 1)]),
    ...undeclared.map((name) => [name, fillValue(filling, schema['additionalProperties'], name, depth + 1)]),
  ]) as Record<string, unknown>;
}

/** Whether the message mentions a value in the property's enum, or contains "<property>: <value>". */
function isSpokenOf(filling: Filling, given: unknown, name: string): boolean {
  const schema = resolveSchema(filling.root, given);
  const members = readList(schema, 'enum');
  if (members.length > 0) return members.some((member) => mentions(filling, member));
  return typeOf(schema) === 'string' && filling.values.named(name) !== undefined;
}
