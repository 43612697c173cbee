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

export interface LoginSessionState {
  /** `restoring` until it is known whether somebody is signed in. */
  readonly status: 'restoring' | 'signed-out' | 'signed-in';
  /** Null while nobody is signed in, and where the issuer does not say. */
  readonly email: string | null;
}

interface Held {
  readonly accessToken: string;
  readonly expiresAtMs: number;
}

/** A token is renewed this long before its end, so that none expires on its way. */
const marginMs = 30_000;

/** Who is signed in on this page. The token is in this object's memory and nowhere else. */
export class LoginSession {
  #state: LoginSessionState = { status: 'restoring', email: null };
  #held: Held | null = null;
  #identity: Identity | null = null;
  #renewal: Promise<string | null> | null = null;
  /** How often it was ended: what was asked for before then is nobody's any more. */
  #ends = 0;
  readonly #listeners = new Set<() => void>();
  readonly #onAnother: () => void;

  /** `onAnother`: the session would go on with somebody else, whom another tab has signed in. Nothing is asked for here any more. */
  constructor(onAnother: () => void = () => undefined) {
    this.#onAnother = onAnother;
  }

  readonly state = (): LoginSessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Takes up what an earlier visit left, if it did. */
  async restore(identity: Identity): Promise<void> {
    this.#identity = identity;
    if (identity.mayHaveSession()) await this.#renew(identity);
    else this.#leave();
  }

  begin(tokens: Tokens): void {
    this.#held = { accessToken: tokens.accessToken, expiresAtMs: Date.now() + tokens.expiresInMs };
    this.#change({ status: 'signed-in', email: tokens.email ?? this.#state.email });
  }

  /** A token that is still good for a while, or null: nobody is signed in. */
  async token(): Promise<string | null> {
    if (this.#held === null) return null;
    if (this.#held.expiresAtMs - Date.now() > marginMs) return this.#held.accessToken;
    return this.renew(this.#held.accessToken);
  }

  /** The token after `refused`. Those who ask at the same time get the same one; null ends the session here. */
  async renew(refused: string): Promise<string | null> {
    if (this.#held && this.#held.accessToken !== refused) return this.#held.accessToken;
    if (this.#identity === null) return null;
    this.#renewal ??= this.#renew(this.#identity).finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  /** Ends it here and at the issuer. It ends here even if the issuer cannot be reached. */
  async end(): Promise<void> {
    const token = this.#held?.accessToken ?? null;
    this.#ends += 1;
    this.#renewal = null;
    this.#leave();
    await this.#identity?.end(token).catch(() => undefined);
  }

  async #renew(identity: Identity): Promise<string | null> {
    const ends = this.#ends;
    const tokens = await identity.renew().catch(() => undefined);
    // Whoever has left meanwhile does not come back with the answer.
    if (ends !== this.#ends) return null;
    // Undefined: nobody could be asked. Whoever is signed in stays so, and the call that needed the token fails.
    if (tokens === undefined && this.#held !== null) return null;
    if (tokens && this.#isAnother(tokens)) {
      // Nobody is told: the page would lead to the sign-in, and away from where it begins anew.
      this.#held = null;
      this.#onAnother();
      return null;
    }
    if (tokens) this.begin(tokens);
    else this.#leave();
    return tokens?.accessToken ?? null;
  }

  /** Tabs share the refresh cookie: what one asks for must not be done in the name of whom another has signed in since. */
  #isAnother({ email }: Tokens): boolean {
    const before = this.#state.email;
    return before !== null && email !== null && email !== before;
  }

  #leave(): void {
    this.#held = null;
    this.#change({ status: 'signed-out', email: null });
  }

  #change(state: LoginSessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Says that this browser was signed in, and nothing else: the session itself is in a cookie that scripts cannot read. */
const markName = 'svc-was-signed-in';

export function setMark(): void {
  withStorage((storage) => storage.setItem(markName, 'yes'));
}

export function forgetMark(): void {
  withStorage((storage) => storage.removeItem(markName));
}

export function isMarked(): boolean {
  // Where storage is switched off the cookie is simply tried.
  return withStorage((storage) => storage.getItem(markName) !== null) ?? true;
}

function withStorage<Result>(read: (storage: Storage) => Result): Result | undefined {
  try {
    return read(window.localStorage);
  } catch {
    return undefined;
  }
}
