import { redactRecord } from './redact.ts';
import type { SecretSet } from './secret-set.ts';

/**
 * Redacts a log line: it is parsed, each value is redacted, and the line is serialised again. It is therefore
 * valid JSON with the same fields, whatever the secrets contain. A line without a secret is returned unchanged.
 */
export function redactLine(line: string, secrets: SecretSet | undefined): string {
  const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const redacted = redactRecord(fields, secrets);
  return redacted === fields ? line : `${JSON.stringify(redacted)}\n`;
}
