import { GatewayError } from '@gateway/errors';
import type { z } from 'zod';
import { findNearest } from './find-nearest.ts';

/** Validates a JSON body. Reports the first invalid field by its path. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return validate(schema, input, 'field');
}

/** Validates the query parameters in a URL. Reports the first invalid parameter. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  return validate(schema, query, 'parameter');
}

function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  kind: 'field' | 'parameter',
): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true, error: explainIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw new GatewayError('invalid_field');
  const unknown = parsed.error.issues.find((each) => each.code === 'unrecognized_keys');
  if (issue === unknown) throw explainUnknown(unknown, schema, kind);
  const param = renderPath(issue.path);
  if (issue.code === 'invalid_type' && issue.input === undefined && param !== '') {
    const more = unknown === undefined ? '' : ` ${explainUnknown(unknown, schema, kind).message}`;
    throw new GatewayError('missing_field', { param, message: `The ${kind} "${param}" is required.${more}` });
  }
  const subject = param === '' ? 'The body' : `The ${kind} "${param}"`;
  // A custom rule may have an error text that does not start with "must".
  const text = issue.message.startsWith('must ') ? issue.message : `is not valid: ${issue.message}`;
  throw new GatewayError('invalid_field', {
    ...(param === '' ? {} : { param }),
    message: `${subject} ${text.replace(/\.$/, '')}.`,
  });
}

/**
 * Returns an error for the first field that the schema does not define. The error suggests the most similar field.
 * The error text never contains the content of the field.
 */
function explainUnknown(
  { path, keys: [key = ''] }: z.core.$ZodIssueUnrecognizedKeys,
  schema: z.ZodType,
  kind: 'field' | 'parameter',
): GatewayError {
  const param = renderPath([...path, key.slice(0, nameCharsMax)]);
  const known = path.length === 0 && 'shape' in schema ? Object.keys(schema.shape as object) : [];
  const nearest = findNearest(key, known);
  const names = known.length === 0 ? 'Remove it or check its spelling.' : `Use ${listNames(known)}.`;
  const advice = nearest === undefined ? names : `Did you mean "${nearest}"?`;
  const message = `The ${kind} "${param}" is unknown. ${advice}`;
  return new GatewayError('unknown_field', { param, message });
}

/** Maximum length of a client's field name in an error text. */
const nameCharsMax = 100;

/** Lists names as `"a", "b" or "c"`. */
function listNames(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

function renderPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const formatNames: Readonly<Record<string, string>> = {
  datetime: 'a date and time in RFC 3339 form, such as 2026-01-31T12:00:00Z',
  date: 'a date, such as 2026-01-31',
  email: 'an e-mail address, such as name@example.com',
  url: 'a URL',
  uuid: 'a UUID',
};
/** For each field type, singular and plural of the unit in which a length is given. */
const unitNames: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
};

/**
 * Explains a violated rule as a predicate, for example `must be at least 1`. Schemas may define more specific error
 * texts, which take precedence in Zod. Returns undefined for rules that keep the error text of Zod.
 */
function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map((each) => JSON.stringify(each)).join(', ')}`;
    case 'invalid_format': {
      const name = formatNames[issue.format];
      return name === undefined ? undefined : `must be ${name}`;
    }
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return explainBound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return `${explainBound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}${hintAtShare(issue)}`;
    default:
      return undefined;
  }
}

function explainBound(origin: string, comparison: string, bound: number | bigint): string {
  const unit = unitNames[origin]?.[bound === 1 ? 0 : 1];
  return unit === undefined ? `must be ${comparison} ${bound}` : `must have ${comparison} ${bound} ${unit}`;
}

/** Returns a hint for callers that send a percentage such as 95 instead of the share 0.95. */
function hintAtShare({ maximum, input }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (typeof input !== 'number' || maximum > 1 || input <= 1 || input >= 100) return '';
  return ` (${input}% is ${input / 100})`;
}
