/** Tokens that the identity provider issued. */
export interface Tokens {
  readonly accessToken: string;
  readonly expiresInMs: number;
  readonly email: string | null;
}

/** An identity provider, which is the gateway itself or an OpenID Connect issuer. */
export interface Identity {
  /**
   * Whether an earlier visit may have left a login session. Without an earlier login session, an attempt to
   * renew it would fail and log an error in the browser.
   */
  mayHaveSession(): boolean;
  /**
   * Returns new tokens, or null when the login session has ended. Throws an error if the identity provider
   * cannot be reached.
   */
  renew(): Promise<Tokens | null>;
  end(accessToken: string | null): Promise<void>;
}

export interface LoginSessionState {
  /** The state of the login session. The state is `restoring` until the first renewal has finished. */
  readonly status: 'restoring' | 'signed-out' | 'signed-in';
  /**
   * The person's email address. Null while no person is signed in, or if the issuer does not supply the email
   * address.
   */
  readonly email: string | null;
}

interface CurrentToken {
  readonly accessToken: string;
  readonly expiresAtMs: number;
}

/**
 * A token is renewed this many milliseconds before its expiry, so that the token does not expire in transit.
 */
const marginMs = 30_000;

/** The login session of this page. The access token exists only in the memory of this object. */
export class LoginSession {
  #state: LoginSessionState = { status: 'restoring', email: null };
  #current: CurrentToken | null = null;
  #identity: Identity | null = null;
  #renewal: Promise<string | null> | null = null;
  /**
   * Number of sign-outs on this page. If a token renewal started before the latest sign-out, its outcome is
   * ignored.
   */
  #ends = 0;
  readonly #listeners = new Set<() => void>();
  readonly #onAnother: () => void;

  /**
   * @param onAnother callback that runs if another tab has signed in a different person. After this callback,
   * the page of the previous person sends no more requests.
   */
  constructor(onAnother: () => void = () => undefined) {
    this.#onAnother = onAnother;
  }

  readonly state = (): LoginSessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Restores the login session of an earlier visit, if one exists. */
  async restore(identity: Identity): Promise<void> {
    this.#identity = identity;
    if (identity.mayHaveSession()) await this.#renew(identity);
    else this.#leave();
  }

  begin(tokens: Tokens): void {
    this.#current = { accessToken: tokens.accessToken, expiresAtMs: Date.now() + tokens.expiresInMs };
    this.#change({ status: 'signed-in', email: tokens.email ?? this.#state.email });
  }

  /** Returns an access token that does not expire soon. Returns null if no person is signed in. */
  async token(): Promise<string | null> {
    if (this.#current === null) return null;
    if (this.#current.expiresAtMs - Date.now() > marginMs) return this.#current.accessToken;
    return this.renew(this.#current.accessToken);
  }

  /**
   * Replaces an access token that was rejected. Concurrent callers receive the same new access token. Returns
   * null if no new token is available.
   */
  async renew(rejected: string): Promise<string | null> {
    if (this.#current && this.#current.accessToken !== rejected) return this.#current.accessToken;
    if (this.#identity === null) return null;
    this.#renewal ??= this.#renew(this.#identity).finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  /**
   * Ends the login session in this browser and at the identity provider. Even if the identity provider cannot
   * be reached, the login session ends in this browser.
   */
  async end(): Promise<void> {
    const token = this.#current?.accessToken ?? null;
    this.#ends += 1;
    this.#renewal = null;
    this.#leave();
    await this.#identity?.end(token).catch(() => undefined);
  }

  async #renew(identity: Identity): Promise<string | null> {
    const ends = this.#ends;
    const tokens = await identity.renew().catch(() => undefined);
    // The person signed out during the renewal, so the response is ignored.
    if (ends !== this.#ends) return null;
    // `undefined` means that the identity provider could not be reached.
    // If the identity provider cannot be reached, the person stays signed in, and only the current request fails.
    if (tokens === undefined && this.#current !== null) return null;
    if (tokens && this.#isAnother(tokens)) {
      // The listeners are not notified, because a notification would open the sign-in page instead of reloading the page.
      this.#current = null;
      this.#onAnother();
      return null;
    }
    if (tokens) this.begin(tokens);
    else this.#leave();
    return tokens?.accessToken ?? null;
  }

  /**
   * Whether the new tokens belong to a different person than the current tokens. Browser tabs share the refresh
   * cookie. If another tab signs in a different person, this tab must not send requests as that person.
   */
  #isAnother({ email }: Tokens): boolean {
    const before = this.#state.email;
    return before !== null && email !== null && email !== before;
  }

  #leave(): void {
    this.#current = null;
    this.#change({ status: 'signed-out', email: null });
  }

  #change(state: LoginSessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Name of the browser storage entry that records an earlier sign-in. The entry is needed because scripts cannot read
 * the cookie of the login session.
 */
const markName = 'svc-was-signed-in';

export function setMark(): void {
  withStorage((storage) => storage.setItem(markName, 'yes'));
}

export function forgetMark(): void {
  withStorage((storage) => storage.removeItem(markName));
}

export function isMarked(): boolean {
  // If storage is disabled, the browser may still have the cookie of a login session.
  return withStorage((storage) => storage.getItem(markName) !== null) ?? true;
}

function withStorage<Result>(read: (storage: Storage) => Result): Result | undefined {
  try {
    return read(window.localStorage);
  } catch {
    return undefined;
  }
}
