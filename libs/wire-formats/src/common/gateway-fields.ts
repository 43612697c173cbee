import { invalidField } from '@gateway/errors';
import type { JsonEntry, JsonTape } from '../json/json-tape.ts';

/**
 * Request fields that carry the caller's own provider credentials. The gateway reads the credential fields
 * and never forwards them.
 */
export const cloudFields = [
  'cloud_access_key_id',
  'cloud_secret_access_key',
  'cloud_region_name',
  'cloud_session_token',
  'cloud_bearer_token_hosted',
] as const;

export type CloudField = (typeof cloudFields)[number];

/**
 * A tool definition field with examples of requests that need the tool. The gateway reads the field and never
 * forwards it.
 */
export const examplesField = 'x-svc-examples';

export function isCloudField(tape: JsonTape, entry: JsonEntry): boolean {
  return cloudFields.some((name) => tape.isString(entry.key, name));
}

/**
 * Reads the caller's own provider credentials from the request body. Credentials are secrets and must not be
 * logged.
 * @throws GatewayError `invalid_field` if a field is neither a string nor null.
 */
export function readCloudFields(tape: JsonTape): Partial<Record<CloudField, string>> {
  const found: Partial<Record<CloudField, string>> = {};
  for (const name of cloudFields) {
    const node = tape.get(tape.root, name);
    if (node === undefined || tape.kind(node) === 'null') continue;
    const value = tape.stringValue(node);
    if (value === undefined) throw invalidField(name, 'a string');
    found[name] = value;
  }
  return found;
}
