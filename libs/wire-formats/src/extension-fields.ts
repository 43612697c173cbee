import type { JsonEntry } from './json/json-node.ts';
import type { JsonTape } from './json/json-tape.ts';

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
