import type { z } from 'zod';

/** Renders the path of a field, for example `messages[0].content`. The path of the whole body is empty. */
export function renderPath(path: readonly PropertyKey[]): string {
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
/** For each field type, the singular and the plural of the unit of its length. */
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
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
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
