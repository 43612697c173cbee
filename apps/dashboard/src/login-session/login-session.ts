/** Tokens from the identity provider. */
export interface Tokens {
  readonly accessToken: string;
  readonly expiresInMs: number;
  readonly email: string | null;
}

/** An identity provider: the gateway itself or an OpenID Connect issuer. */
export interface Identity {
  /**
   * Whether an earlier visit may have left a login session. Without this check, a failed renewal would log an
   * error in the browser.
   */
  mayHaveSession(): boolean;
  /** Returns new tokens, or null when the login session has ended. Throws if the provider cannot be reached. */
  renew(): Promise<Tokens | null>;
  end(accessToken: string | null): Promise<void>;
}

export interface LoginSessionState {
  /** The state is `restoring` until the first renewal finishes. */
  readonly status: 'restoring' | 'signed-out' | 'signed-in';
  /** The person's e-mail address. Null while signed out, or if the issuer does not supply it. */
  readonly email: string | null;
}

interface CurrentToken {
  readonly accessToken: string;
  readonly expiresAtMs: number;
}

/** Milliseconds before its expiry at which a token is renewed, so that it does not expire in transit. */
const marginMs = 30_000;

/** The login session of this page. The access token exists only in the memory of this object. */
export class LoginSession {
  #state: LoginSessionState = { status: 'restoring', email: null };
  #current: CurrentToken | null = null;
  #identity: Identity | null = null;
  #renewal: Promise<string | null> | null = null;
  /** Number of sign-outs. A renewal that started before the latest sign-out is ignored. */
  #ends = 0;
  readonly #listeners = new Set<() => void>();
  readonly #onAnother: () => void;

  /** `onAnother` is called if another tab has signed in a different person. This page then sends no more requests. */
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

  /** A token that stays valid for a while. Null when signed out. */
  async token(): Promise<string | null> {
    if (this.#current === null) return null;
    if (this.#current.expiresAtMs - Date.now() > marginMs) return this.#current.accessToken;
    return this.renew(this.#current.accessToken);
  }

  /**
   * Replaces the rejected token. Concurrent callers receive the same new token. Returns null if no new token
   * is available.
   */
  async renew(rejected: string): Promise<string | null> {
    if (this.#current && this.#current.accessToken !== rejected) return this.#current.accessToken;
    if (this.#identity === null) return null;
    this.#renewal ??= this.#renew(this.#identity).finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  /**
   * Ends the login session in this browser and at the identity provider. The session also ends in this
   * browser if the provider cannot be reached.
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
    // The person signed out in the meantime, so the response is ignored.
    if (ends !== this.#ends) return null;
    // `undefined` means that the provider could not be reached.
    // The person stays signed in, and the current request fails.
    if (tokens === undefined && this.#current !== null) return null;
    if (tokens && this.#isAnother(tokens)) {
      // Listeners are not notified, because the page would open the sign-in page instead of reloading.
      this.#current = null;
      this.#onAnother();
      return null;
    }
    if (tokens) this.begin(tokens);
    else this.#leave();
    return tokens?.accessToken ?? null;
  }

  /** Tabs share the refresh cookie. If another tab signs in a different person, this tab must not send requests as that person. */
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

/** A mark in a browser that was signed in. The login session is in a cookie, which scripts cannot read. */
const markName = 'svc-was-signed-in';

export function setMark(): void {
  withStorage((storage) => storage.setItem(markName, 'yes'));
}

export function forgetMark(): void {
  withStorage((storage) => storage.removeItem(markName));
}

export function isMarked(): boolean {
  // If storage is disabled, the browser may have a cookie.
  return withStorage((storage) => storage.getItem(markName) !== null) ?? true;
}

function withStorage<Result>(read: (storage: Storage) => Result): Result | undefined {
  try {
    return read(window.localStorage);
  } catch {
    return undefined;
  }
}
