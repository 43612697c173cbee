/** The claims from a verified session token. */
export interface LoginSessionClaims {
  readonly issuer: string;
  readonly subject: string;
  /**
   * The id by which a login session of the embedded identity service can be revoked. Null if another issuer issued
   * the token.
   */
  readonly sessionId: string | null;
  /** Expiry of the session token, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** A user's login session with a valid token that is not revoked. */
export interface LoginSession extends LoginSessionClaims {
  /** Id of the account that the user belongs to. Null until the user calls `POST /v1/account/register`. */
  readonly accountId: string | null;
  /** Id of the user. Null until the user calls `POST /v1/account/register`. */
  readonly personId: string | null;
}

/**
 * Signature algorithms that are allowed for session tokens. All allowed algorithms are asymmetric, so a
 * leaked verification key cannot sign tokens.
 */
export const sessionAlgorithms = ['ES256', 'RS256'] as const;
export type SessionAlgorithm = (typeof sessionAlgorithms)[number];

/**
 * Maximum length of a session token. Issuers create shorter tokens. Request headers may be longer than this
 * maximum.
 */
export const sessionTokenBytesMax = 8 * 1024;

const jwtShape = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/;

/**
 * Whether a bearer token has the form of a JWT (RFC 7515 §7.1). A JWT has three base64url parts, and the first part
 * is a JSON object. API keys never have this form. A token with this form can still be invalid.
 */
export function looksLikeSessionToken(token: string): boolean {
  return jwtShape.test(token);
}
