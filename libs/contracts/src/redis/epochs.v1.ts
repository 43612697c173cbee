/**
 * The Redis key for the epoch of an API key. The account service writes epochs to the cache. The gateway
 * reads the epochs of an API key and of its account together with the rate limit. A gateway that missed the
 * broadcast of a change detects the change from the epoch. A negative epoch means that the API key was
 * revoked or the account was deleted. An epoch is missing if nothing changed recently, or if Redis lost the
 * epoch. Without an epoch, the use of a cached grant is limited only by the maximum age of cached grants. The
 * Redis keys of an account share a hash tag, so one script can read all these keys in a Redis cluster.
 */
export function keyEpochName(accountId: string, keyId: string): string {
  return `epoch:{${accountId}}:${keyId}`;
}

/** The Redis key for an account's epoch, the number of the account's last change. */
export function accountEpochName(accountId: string): string {
  return `epoch:{${accountId}}`;
}

/**
 * Lifetime of an epoch in Redis. The lifetime exceeds the maximum age of a cached grant (310 s). While a
 * cached grant can be used, Redis therefore keeps the epoch that could invalidate the grant.
 */
export const epochKeptSeconds = 900;
