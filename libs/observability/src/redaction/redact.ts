import { isSecretName, redactedText, redactPatterns } from './secret-patterns.ts';
import type { SecretSet } from './secret-set.ts';

/** Redacts credentials of known forms, and the values of `secrets`. */
export function redactText(text: string, secrets: SecretSet | undefined): string {
  const redacted = secrets === undefined ? text : secrets.redact(text);
  return redactPatterns(redacted);
}

/** Maximum nesting depth that is searched for secrets. Values that are nested more deeply are replaced. */
const depthMax = 16;

/**
 * Redacts every text in a JSON value before the value is serialized. Field names stay unchanged, except names
 * with the form of a known credential. Returns the same object if the object contains no secret.
 */
export function redactValue(value: unknown, secrets: SecretSet | undefined, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === depthMax) return redactedText;
  return Array.isArray(value)
    ? redactItems(value, secrets, depth)
    : redactFields(value as Readonly<Record<string, unknown>>, secrets, depth);
}

function redactItems(items: readonly unknown[], secrets: SecretSet | undefined, depth: number): unknown {
  const redacted = items.map((item) => redactValue(item, secrets, depth + 1));
  return redacted.some((item, at) => item !== items[at]) ? redacted : items;
}

/** Redacts the fields of an object in the same way as `redactValue`. */
export function redactFields(
  fields: Readonly<Record<string, unknown>>,
  secrets: SecretSet | undefined,
  depth = 0,
): Readonly<Record<string, unknown>> {
  let changed: Record<string, unknown> | undefined;
  let hasOddName = false;
  for (const name of Object.keys(fields)) {
    const { isSecret, shown } = readName(name);
    hasOddName ||= shown !== name;
    const value = fields[name];
    const redacted =
      isSecret && typeof value === 'string' ? redactedText : redactValue(value, secrets, depth + 1);
    if (redacted === value) continue;
    changed ??= { ...fields };
    changed[name] = redacted;
  }
  const values = changed ?? fields;
  return hasOddName ? renameFields(values) : values;
}

function renameFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [readName(name).shown, value]));
}

/** Log fields with values from the gateway itself, without text from other sources. */
const identityFields: ReadonlySet<string> = new Set(
  'level time service instance_id trace_id request_id account_id key_id'.split(' '),
);

/**
 * Redacts the fields of a log record in the same way as `redactFields`. Fields that identify the log line are
 * not redacted. If ids were redacted, an account could save an id as a credential to hide log lines from a
 * search.
 */
export function redactRecord(
  fields: Readonly<Record<string, unknown>>,
  secrets: SecretSet | undefined,
): Readonly<Record<string, unknown>> {
  const redacted = redactFields(fields, secrets);
  if (redacted === fields) return fields;
  const identities = Object.entries(fields).filter(([name]) => identityFields.has(name));
  return { ...redacted, ...Object.fromEntries(identities) };
}

interface FieldName {
  /** Whether the field name marks the value as a secret. */
  readonly isSecret: boolean;
  /** The field name, with any credentials in it redacted. */
  readonly shown: string;
}

/**
 * Maximum number of cached field names. The gateway's code uses few different field names, so the maximum
 * is reached only by names from other sources.
 */
const namesMax = 4_096;
const names = new Map<string, FieldName>();

function readName(name: string): FieldName {
  const known = names.get(name);
  if (known !== undefined) return known;
  const read = { isSecret: isSecretName(name), shown: redactPatterns(name) };
  if (names.size < namesMax && name.length < 128) names.set(name, read);
  return read;
}

/**
 * Redacts a log line. The line is parsed, each value is redacted, and the line is serialized again. The
 * redacted line is always valid JSON with the same fields. A log line that contains no secret is returned
 * unchanged.
 */
export function redactLine(line: string, secrets: SecretSet | undefined): string {
  const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const redacted = redactRecord(fields, secrets);
  return redacted === fields ? line : `${JSON.stringify(redacted)}\n`;
}
