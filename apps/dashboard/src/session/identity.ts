/** What somebody got from whoever knows them. */
export interface Tokens {
  readonly accessToken: string;
  readonly expiresInMs: number;
  readonly email: string | null;
}

/** Who gives session tokens: the gateway itself, or an OpenID Connect issuer. */
export interface Identity {
  /** Whether an earlier visit may have left a session: asking in vain would be an error in the browser's log. */
  mayHaveSession(): boolean;
  /** A new token, or null when the session is over. Throws when nobody could be asked. */
  renew(): Promise<Tokens | null>;
  end(accessToken: string | null): Promise<void>;
}
