/**
 * The Redis key for the epoch of an API key. The account service writes epochs to the cache. The gateway
 * reads the epochs of an API key and of its account together with the rate limit. By the epoch, the gateway
 * detects a change even if the gateway missed the broadcast. A negative epoch means that the API key was
 * revoked or the account was deleted. An epoch is missing if nothing changed recently or Redis lost the
 * epoch. Without an epoch, only the maximum age of cached grants limits the use of a grant. The Redis keys of
 * an account share a hash tag, so one script can read these keys in a Redis cluster.
 */
export function keyEpochName(accountId: string, keyId: string): string {
  return `epoch:{${accountId}}:${keyId}`;
}

/** The Redis key for an account's epoch, the number of the account's last change. */
export function accountEpochName(accountId: string): string {
  return `epoch:{${accountId}}`;
}

/**
 * Lifetime of an epoch in Redis. The lifetime exceeds the maximum age of a cached grant (310 s). An epoch
 * therefore exists longer than every grant that the epoch could invalidate.
 */
export const epochKeptSeconds = 900;
