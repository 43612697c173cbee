/**
 * Redis key for an API key's epoch in the cache. The account service writes epochs. The gateway reads the
 * epochs of a key and its account together with the rate limit. The gateway thereby detects a change even if
 * it missed the broadcast. A negative epoch means that the key was revoked or the account was deleted. An
 * epoch is missing if nothing changed recently or Redis lost the epoch. In that case only the gateway's cache
 * limits how long a grant is used. All keys of an account share a hash tag, so one script can read these keys
 * in a cluster.
 */
export function keyEpochName(accountId: string, keyId: string): string {
  return `epoch:{${accountId}}:${keyId}`;
}

/** Redis key for an account's epoch in the cache, for changes to the account itself. */
export function accountEpochName(accountId: string): string {
  return `epoch:{${accountId}}`;
}

/**
 * Lifetime of an epoch. The lifetime exceeds the maximum age of a cached grant (310 s), so an epoch exists
 * longer than every grant that it could invalidate.
 */
export const epochKeptSeconds = 900;
