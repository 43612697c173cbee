/**
 * The kinds of Redis keys that belong to one account, in both Redis servers. A Redis key is
 * `<kind>:{<account id>}`, with `:<name>` appended if an account has several keys of the kind. The deletion of
 * an account finds the account's Redis keys by the form of the keys. The braces in a Redis key are a hash tag,
 * so that all keys of an account share a slot in a Redis cluster. When the format of a kind's values changes,
 * raise the version in the name of the kind.
 */
export const accountKeyKinds = [
  'rpm',
  'budget',
  'first-requests:v2',
  'observed:v2',
  'session:v2',
  'bound-plan:v2',
  'context:v4',
  'reasoning:v1',
  'model-pin:v2',
  'share:v1',
] as const;
export type AccountKeyKind = (typeof accountKeyKinds)[number];

/** Renders the Redis key for a value of an account. */
export function accountKey(kind: AccountKeyKind, accountId: string, name?: string): string {
  return name === undefined ? `${kind}:{${accountId}}` : `${kind}:{${accountId}}:${name}`;
}

/** Whether the Redis key belongs to one of the kinds in `accountKeyKinds`. */
export function isAccountKey(key: string): boolean {
  return accountKeyKinds.some((kind) => key.startsWith(`${kind}:{`));
}
