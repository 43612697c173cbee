/**
 * The kinds of Redis keys with data of a single account, in both Redis servers. A Redis key has the form
 * `<kind>:{<account id>}`, followed by `:<name>` if an account has several keys of the same kind. When an
 * account is deleted, the gateway finds the account's Redis keys by the account id in the key. The braces mark
 * a Redis hash tag, which puts all keys of an account into one slot of a Redis cluster. When the data format of
 * a kind changes, the version in the name of the kind must be raised.
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

/** Renders the Redis key under which account data is stored. */
export function accountKey(kind: AccountKeyKind, accountId: string, name?: string): string {
  return name === undefined ? `${kind}:{${accountId}}` : `${kind}:{${accountId}}:${name}`;
}

/** Whether the Redis key belongs to one of the kinds in `accountKeyKinds`. */
export function isAccountKey(key: string): boolean {
  return accountKeyKinds.some((kind) => key.startsWith(`${kind}:{`));
}
