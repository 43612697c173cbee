/**
 * Redis key for an API key's epoch in the cache. The account service writes epochs. The gateway reads the
 * epochs of a key and its account together with the rate limit, which reveals changes whose broadcast it
 * missed. A negative epoch means the key was revoked or the account deleted. An epoch is missing if nothing
 * changed recently or Redis lost it; then only the gateway's cache limits how long a grant is used. All keys
 * of an account share a hash tag, so one script can read them in a cluster.
 */
export function keyEpochName(accountId: string, keyId: string): string {
  return `epoch:{${accountId}}:${keyId}`;
}

/** The same for changes to the account itself. */
export function accountEpochName(accountId: string): string {
  return `epoch:{${accountId}}`;
}

/**
 * Longer than the gateway uses a grant without looking it up again (310 s), so an epoch outlives every grant
 * that it could invalidate.
 */
export const epochKeptSeconds = 900;
