/** The claims from a verified session token. */
export interface LoginSessionClaims {
  readonly issuer: string;
  readonly subject: string;
  /** The id for revoking a session from the embedded identity; null for other issuers. */
  readonly sessionId: string | null;
  /** Expiry in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** A user's login session, with a valid token that is not revoked. */
export interface LoginSession extends LoginSessionClaims {
  /** Null until the user calls `POST /v1/account/register`. */
  readonly accountId: string | null;
  /** Null until the user calls `POST /v1/account/register`. */
  readonly personId: string | null;
}

/**
 * Signature algorithms allowed for session tokens. All algorithms are asymmetric, so a verification key
 * cannot sign tokens.
 */
export const sessionAlgorithms = ['ES256', 'RS256'] as const;
export type SessionAlgorithm = (typeof sessionAlgorithms)[number];

/**
 * Maximum token length: longer than any token that issuers create, and shorter than the limit for request
 * headers.
 */
export const sessionTokenBytesMax = 8 * 1024;

const jwtShape = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/;

/**
 * Whether a bearer token has the form of a JWT (RFC 7515 §7.1): three base64url parts, the first of which is
 * a JSON object. The form identifies the kind of credential, not whether the credential is valid.
 */
export function looksLikeSessionToken(token: string): boolean {
  return jwtShape.test(token);
}
