import { isDeepStrictEqual } from 'node:util';

/** Maximum number of problems that are reported for one call. A longer list of problems would not help the model. */
const problemsMax = 5;
/**
 * Maximum number of steps in one check of tool call arguments. Without this limit, a schema that refers to itself
 * and branches at every level could block the gateway.
 */
const stepsMax = 20_000;
const depthMax = 64;
/**
 * Maximum amount of work in one check, measured in compared enum values and in examined names and characters. A
 * limit on the number of steps is not enough, because a single step may examine thousands of values.
 */
const workMax = 400_000;
/** Number of compared characters that take as much time as one check of an enum value. */
const charactersAtOnce = 8;

type Schema = Record<string, unknown>;

interface Check {
  readonly root: unknown;
  /**
   * One function per problem, which renders the problem as text when the problem is reported. The problems found in
   * a failed branch are dropped if another branch accepts the value.
   */
  readonly problems: (() => string)[];
  /** The amount of work that the check has done so far. All branches of the check share one total. */
  readonly spent: { steps: number; work: number };
  readonly sizes: WeakMap<object, number>;
}

/**
 * Checks a tool call's arguments against the tool's schema. Returns one sentence per problem, or an empty list if
 * the arguments match the schema. Schema keywords that the check does not support are ignored, because the client's
 * own tool rejects invalid calls. The project uses no validator library, because common libraries compile schemas
 * to code or run regular expressions from schemas. Running code or expressions from a client's schema would
 * endanger the other clients of this process. The check of arguments ignores the keywords `pattern` and `format`.
 */
export function checkArguments(schema: unknown, argumentsText: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(argumentsText.trim() === '' ? '{}' : argumentsText);
  } catch {
    return ['the arguments are not valid JSON'];
  }
  if (!isObject(value)) return ['the arguments are not an object'];
  const check: Check = { root: schema, problems: [], spent: { steps: 0, work: 0 }, sizes: new WeakMap() };
  checkValue(check, schema, value, 'arguments', 0);
  return check.problems.slice(0, problemsMax).map((say) => say());
}

/**
 * Adds to the amount of work done. Returns false if the work exceeds the limit. Once the limit on work is
 * exceeded, the remaining JSON values are accepted without a check.
 */
function spend({ spent }: Check, work: number): boolean {
  spent.work += work;
  return spent.work <= workMax;
}

function checkValue(check: Check, schema: unknown, value: unknown, at: string, depth: number): void {
  check.spent.steps += 1;
  if (check.spent.steps > stepsMax || depth > depthMax || check.problems.length >= problemsMax) return;
  if (schema === false) check.problems.push(() => `${at} is not allowed`);
  if (!isObject(schema)) return;
  const target = typeof schema.$ref === 'string' ? resolve(check, schema.$ref) : undefined;
  if (target !== undefined) checkValue(check, target, value, at, depth + 1);
  if (!checkType(check, schema, value, at)) return;
  checkChoices(check, schema, value, at);
  checkBounds(check, schema, value, at);
  checkBranches(check, schema, value, at, depth);
  if (Array.isArray(value)) checkItems(check, schema, value, at, depth);
  else if (isObject(value)) checkMembers(check, schema, value, at, depth);
}

/** Resolves a reference within the schema. For a reference to another document, every value is accepted. */
function resolve(check: Check, reference: string): unknown {
  if (!reference.startsWith('#') || !spend(check, reference.length)) return undefined;
  const path = reference.slice(1).split('/').slice(1);
  return path.reduce<unknown>((node, step) => {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
      ? (node as Schema)[name]
      : undefined;
  }, check.root);
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function checkType(check: Check, schema: Schema, value: unknown, at: string): boolean {
  if (Array.isArray(schema.type) && !spend(check, schema.type.length)) return true;
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length === 0 || (value === null && schema.nullable === true)) return true;
  if (types.some((type) => isOfType(type, value))) return true;
  check.problems.push(() => `${at} is not of the type ${types.join(' or ')}`);
  return false;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type.toLowerCase()) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    default:
      return true;
  }
}

function checkChoices(check: Check, schema: Schema, value: unknown, at: string): void {
  if (Array.isArray(schema.enum) && !schema.enum.some((choice) => isChoice(check, choice, value)))
    check.problems.push(() => `${at} is none of ${JSON.stringify(schema.enum).slice(0, 300)}`);
  if (Object.hasOwn(schema, 'const') && !isChoice(check, schema.const, value))
    check.problems.push(() => `${at} is not ${JSON.stringify(schema.const).slice(0, 300)}`);
}

function isChoice(check: Check, choice: unknown, value: unknown): boolean {
  const isOne = typeof choice !== 'object' || typeof value !== 'object';
  return !spend(check, isOne ? 1 : sizeOf(choice, check.sizes)) || isDeepStrictEqual(choice, value);
}

/**
 * Counts the JSON values within one value of an enum. The recursion depth is bounded, because the nesting of
 * requests is limited.
 */
function sizeOf(choice: unknown, sizes: Check['sizes']): number {
  if (typeof choice !== 'object' || choice === null) return 1;
  const known = sizes.get(choice);
  if (known !== undefined) return known;
  const members: unknown[] = Object.values(choice);
  const size = members.reduce<number>((sum, member) => sum + sizeOf(member, sizes), 1);
  sizes.set(choice, size);
  return size;
}

/**
 * The schema keywords that limit a value. Each entry also states whether the keyword sets a minimum, and has a
 * function that measures the value.
 */
const bounds: readonly (readonly [keyword: string, least: boolean, measure: (value: unknown) => unknown])[] =
  [
    ['minimum', true, (value) => value],
    ['maximum', false, (value) => value],
    ['minLength', true, (value) => (typeof value === 'string' ? lengthOf(value) : undefined)],
    ['maxLength', false, (value) => (typeof value === 'string' ? lengthOf(value) : undefined)],
    ['minItems', true, (value) => (Array.isArray(value) ? value.length : undefined)],
    ['maxItems', false, (value) => (Array.isArray(value) ? value.length : undefined)],
  ];

/** Returns the length of a string in code points, as JSON Schema defines the length. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function checkBounds(check: Check, schema: Schema, value: unknown, at: string): void {
  for (const [keyword, least, measure] of bounds) {
    const bound = schema[keyword];
    if (typeof bound !== 'number') continue;
    if (typeof value === 'string' && !spend(check, value.length / charactersAtOnce)) return;
    const size = measure(value);
    if (typeof size !== 'number' || (least ? size >= bound : size <= bound)) continue;
    check.problems.push(() => `${at} is beyond its ${keyword} of ${bound}`);
  }
}

function checkBranches(check: Check, schema: Schema, value: unknown, at: string, depth: number): void {
  if (Array.isArray(schema.allOf))
    for (const branch of schema.allOf as unknown[]) checkValue(check, branch, value, at, depth + 1);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length === 0) continue;
    // The check accepts a value that matches several `oneOf` branches.
    if (!(branches as unknown[]).some((branch) => fits(check, branch, value, depth)))
      check.problems.push(() => `${at} fits none of the schemas in ${keyword}`);
  }
}

function fits(check: Check, schema: unknown, value: unknown, depth: number): boolean {
  const trial: Check = { ...check, problems: [] };
  checkValue(trial, schema, value, 'value', depth + 1);
  return trial.problems.length === 0;
}

function checkItems(
  check: Check,
  schema: Schema,
  value: readonly unknown[],
  at: string,
  depth: number,
): void {
  const { items } = schema;
  if (!isObject(items) && items !== false) return;
  // The check accepts array items under `prefixItems` without examining them.
  const from = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
  value.slice(from).forEach((item, index) => {
    checkValue(check, items, item, `${at}[${from + index}]`, depth + 1);
  });
}

function checkMembers(check: Check, schema: Schema, value: Schema, at: string, depth: number): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of Array.isArray(schema.required) ? (schema.required as unknown[]) : []) {
    if (!spend(check, 1) || check.problems.length >= problemsMax) return;
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      check.problems.push(() => `${at}.${name} is required`);
  }
  const members = Object.entries(value);
  if (!spend(check, members.length)) return;
  for (const [name, member] of members) {
    if (check.problems.length >= problemsMax) return;
    if (Object.hasOwn(properties, name))
      checkValue(check, properties[name], member, `${at}.${name}`, depth + 1);
    else if (isObject(schema.patternProperties)) continue;
    else if (schema.additionalProperties === false)
      check.problems.push(() => `${at}.${name.slice(0, 100)} is not known`);
    else if (isObject(schema.additionalProperties))
      checkValue(check, schema.additionalProperties, member, `${at}.${name}`, depth + 1);
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
