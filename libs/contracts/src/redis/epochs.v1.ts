/**
 * Key name of an epoch in the cache's Redis. A gateway reads the epochs of a key and of its account together
 * with the rate limit, and so detects changes whose broadcast it missed. The account service writes them. An
 * epoch is negative when the key is revoked or the account deleted. It is missing if nothing changed recently
 * or Redis lost it; then the gateway's own cache limits the age of a grant. All keys of an account share a
 * hash tag, so that one script can read them in a cluster.
 */
export function keyEpochName(accountId: string, keyId: string): string {
  return `epoch:{${accountId}}:${keyId}`;
}

/** The same, for a change of the account as a whole. */
export function accountEpochName(accountId: string): string {
  return `epoch:{${accountId}}`;
}

/**
 * Longer than a gateway uses a grant without a new look-up (310 s). So no grant outlives the record of its
 * change.
 */
export const epochKeptSeconds = 900;
