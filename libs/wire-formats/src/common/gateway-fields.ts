import type { JsonEntry, JsonTape } from '../json/json-tape.ts';
import { invalidField } from './outline-request.ts';

/** Fields of a request that are for the gateway: the caller's own credentials. They never leave. */
export const cloudFields = [
  'cloud_access_key_id',
  'cloud_secret_access_key',
  'cloud_region_name',
  'cloud_session_token',
  'cloud_bearer_token_hosted',
] as const;

export type CloudField = (typeof cloudFields)[number];

/** Examples of what should lead to a tool; in its `function`, or beside it or its schema. They never leave. */
export const examplesField = 'x-svc-examples';

export function isCloudField(tape: JsonTape, entry: JsonEntry): boolean {
  return cloudFields.some((name) => tape.isString(entry.key, name));
}

/**
 * The credentials that a caller put into the body for this one request. They are secrets: never logged.
 *
 * @throws GatewayError `invalid_field` when one is neither text nor null.
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
