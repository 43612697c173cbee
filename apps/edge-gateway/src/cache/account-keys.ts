/**
 * The kinds of Redis keys that belong to one account, in both Redis servers. A Redis key is `<kind>:{<account
 * id>}`, with `:<name>` appended if an account has several keys of the kind. The deletion of an account finds
 * the account's Redis keys by this form. The braces are a hash tag: in a cluster, all keys of an account
 * share a slot. Raise the version in a kind when the format of its values changes.
 */
export const accountKeyKinds = [
  'rpm',
  'budget',
  'first-requests:v2',
  'observed:v2',
  'session:v2',
  'bound-plan:v2',
  'context:v4',
  'model-pin:v2',
  'share:v1',
] as const;
export type AccountKeyKind = (typeof accountKeyKinds)[number];

/** Renders the Redis key for a value of an account. */
export function accountKey(kind: AccountKeyKind, accountId: string, name?: string): string {
  return name === undefined ? `${kind}:{${accountId}}` : `${kind}:{${accountId}}:${name}`;
}

/** Whether the Redis key has one of the kinds in `accountKeyKinds`. */
export function isAccountKey(key: string): boolean {
  return accountKeyKinds.some((kind) => key.startsWith(`${kind}:{`));
}
