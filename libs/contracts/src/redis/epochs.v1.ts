/**
 * What a gateway reads in the round trip of its rate limit to learn of a change that no broadcast told it: the epoch of
 * the key's last change, and of its account's as a whole. Written by the account service, in the cache's Redis. Negative
 * when the key is revoked, or the account deleted. Missing when nothing changed lately, or when Redis lost it: then the
 * freshness of the gateway's own cache is what bounds the age of a grant.
 *
 * Everything of an account has one hash tag, so that a script may read it together in a cluster too.
 */
export function keyEpochName(accountId: string, keyId: string): string {
  return `epoch:{${accountId}}:${keyId}`;
}

/** The same for a change of the account as a whole. */
export function accountEpochName(accountId: string): string {
  return `epoch:{${accountId}}`;
}

/** Longer than any gateway uses a grant without asking again (310 s), so that no grant outlives what tells its change. */
export const epochKeptSeconds = 900;
