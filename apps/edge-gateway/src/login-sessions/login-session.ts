/** What a valid session token says. */
export interface SessionClaims {
  readonly issuer: string;
  readonly subject: string;
  /** The embedded identity's own sessions have an id, by which they are revoked; null for another issuer's. */
  readonly sessionId: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** A person's session: the token is good, and the session stands. */
export interface Session extends SessionClaims {
  /** Null until `POST /v1/account/register`. */
  readonly accountId: string | null;
  readonly personId: string | null;
}

/** All that a session token may be signed with: public keys alone verify, so none of them can sign. */
export const sessionAlgorithms = ['ES256', 'RS256'] as const;
export type SessionAlgorithm = (typeof sessionAlgorithms)[number];

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
