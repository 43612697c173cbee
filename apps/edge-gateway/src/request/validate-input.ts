import { explainIssue, GatewayError, renderPath } from '@gateway/errors';
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
