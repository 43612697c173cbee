/** The claims of a verified session token. */
export interface LoginSessionClaims {
  readonly issuer: string;
  readonly subject: string;
  /** Id by which a session of the embedded identity is revoked; null for another issuer. */
  readonly sessionId: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** A user's login session: its token is valid and it is not revoked. */
export interface LoginSession extends LoginSessionClaims {
  /** Null until `POST /v1/account/register`. */
  readonly accountId: string | null;
  /** Null until `POST /v1/account/register`. */
  readonly personId: string | null;
}

/** Signature algorithms that session tokens may use. All are asymmetric: a verification key cannot sign. */
export const sessionAlgorithms = ['ES256', 'RS256'] as const;
export type SessionAlgorithm = (typeof sessionAlgorithms)[number];

/** Longer than any token that issuers create, and shorter than the bound on a request's headers. */
export const sessionTokenBytesMax = 8 * 1024;

const jwtShape = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/;

/**
 * Whether a bearer token has the form of a JWT (RFC 7515 §7.1): three base64url parts, the first of them a JSON object.
 * It shows the kind of the credential, not that it is valid.
 */
export function looksLikeSessionToken(token: string): boolean {
  return jwtShape.test(token);
}
