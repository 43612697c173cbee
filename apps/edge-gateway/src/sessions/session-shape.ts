/** More than issuers put into a token, and less than a request's headers may take. */
export const sessionTokenBytesMax = 8 * 1024;

const jwtShape = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/;

/**
 * Whether a bearer token has the form of a JWT (RFC 7515 §7.1: three base64url parts, the first of them a JSON object). It
 * says what kind of credential somebody sent, not that it is good.
 */
export function looksLikeSessionToken(token: string): boolean {
  return jwtShape.test(token);
}
