/** Keys of one account that are not revoked. Keeps the list of them within one message. */
export const activeKeysMax = 1_000;
/** Revoked keys that an account keeps, for the request log to name; the oldest go first. */
export const revokedKeysMax = 10_000;
/** What the tool lists of an account's keys may take in all, as JSON: half of the largest message. */
export const toolListBytesMax = 4 * 1024 * 1024;
/** Models whose part in routing an account has set: several times what the catalogue has. */
export const togglesMax = 10_000;
