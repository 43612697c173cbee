/** Credentials of one account, one for each provider. */
export const credentialsMax = 200;
/** A credential as JSON, before it is sealed. */
export const secretBytesMax = 64 * 1024;
