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
