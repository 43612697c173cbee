import * as oauth from 'oauth4webapi';
import { ApiError } from '../api/api-error.ts';
import type { Identity, Tokens } from './login-session.ts';
import { forgetMark, isMarked, setMark } from './login-session.ts';
import type { SignInSettings } from './sign-in-settings.ts';

type OidcSettings = Extract<SignInSettings, { kind: 'oidc' }>;

interface StartedSignIn {
  readonly codeVerifier: string;
  readonly state: string;
  readonly nonce: string;
  readonly next: string;
}

/**
 * Storage key of a sign-in that has started. The browser tab stores the sign-in during the redirect to the
 * issuer. The browser tab never stores a token.
 */
const startedKey = 'svc-sign-in';
/** Token lifetime in milliseconds that is assumed if the issuer does not return one. */
const defaultLifeMs = 300_000;

const onLoopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;

/** Requires HTTPS, except for an issuer on a loopback address, which browsers treat as secure. */
function chooseTransport(issuer: string) {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the library marks the option as deprecated only as a warning, and the code sets the option only for loopback addresses
  return { [oauth.allowInsecureRequests]: onLoopback.test(issuer) };
}

let server: Promise<oauth.AuthorizationServer> | undefined;
/**
 * The refresh token, which is stored only in memory. After a reload, the issuer recognizes the browser by the
 * issuer's own cookie.
 */
let refreshToken: string | undefined;

/** Signs in with an authorization code and PKCE (RFC 9700 §2.1.1), as a public client. */
export class OidcIdentity implements Identity {
  readonly #settings: OidcSettings;
  readonly #client: oauth.Client;
  readonly #options: ReturnType<typeof chooseTransport>;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.#options = chooseTransport(settings.issuer);
    this.#client = { client_id: settings.client_id ?? '' };
  }

  mayHaveSession(): boolean {
    return refreshToken !== undefined && isMarked();
  }

  async begin(next: string): Promise<void> {
    const endpoint = (await this.#server()).authorization_endpoint;
    if (endpoint === undefined)
      throw new Error('The sign-in provider has no authorization endpoint. Ask the operator of the gateway.');
    const started: StartedSignIn = {
      codeVerifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      next,
    };
    sessionStorage.setItem(startedKey, JSON.stringify(started));
    const address = new URL(endpoint);
    const query = await this.#renderQuery(started);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    window.location.assign(address);
  }

  async complete(address: URL): Promise<{ tokens: Tokens; next: string }> {
    const started = takeStarted();
    try {
      const tokens = await this.#redeem(address, started);
      setMark();
      return { tokens, next: started.next };
    } catch (error) {
      throw explain(error);
    }
  }

  async #redeem(address: URL, started: StartedSignIn): Promise<Tokens> {
    const server = await this.#server();
    const params = oauth.validateAuthResponse(server, this.#client, address, started.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      this.#client,
      oauth.None(),
      params,
      redirectUri(),
      started.codeVerifier,
      this.#options,
    );
    const answer = await oauth.processAuthorizationCodeResponse(server, this.#client, response, {
      expectedNonce: started.nonce,
      requireIdToken: true,
    });
    return this.#parse(answer);
  }

  async renew(): Promise<Tokens | null> {
    if (refreshToken === undefined) return null;
    const server = await this.#server();
    const response = await oauth.refreshTokenGrantRequest(
      server,
      this.#client,
      oauth.None(),
      refreshToken,
      this.#options,
    );
    try {
      return this.#parse(await oauth.processRefreshTokenResponse(server, this.#client, response));
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError) return null;
      throw error;
    }
  }

  end(): Promise<void> {
    refreshToken = undefined;
    forgetMark();
    return Promise.resolve();
  }

  async #server(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.#settings.issuer);
    server ??= oauth
      .discoveryRequest(issuer, this.#options)
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
      .catch((error: unknown) => {
        // A failed discovery of the issuer is not cached, so that the next call tries again.
        server = undefined;
        throw error;
      });
    return server;
  }

  async #renderQuery({ codeVerifier, state, nonce }: StartedSignIn): Promise<Record<string, string>> {
    const { audience, scope } = this.#settings;
    return {
      client_id: this.#client.client_id,
      response_type: 'code',
      redirect_uri: redirectUri(),
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(this.#takesIdToken() ? {} : { audience }),
    };
  }

  /**
   * If the configured audience is the dashboard's client id, the gateway accepts ID tokens. If any other audience is
   * configured, the gateway accepts access tokens.
   */
  #takesIdToken(): boolean {
    return this.#settings.audience === this.#settings.client_id;
  }

  #parse(answer: oauth.TokenEndpointResponse): Tokens {
    refreshToken = answer.refresh_token ?? refreshToken;
    const email = oauth.getValidatedIdTokenClaims(answer)?.['email'];
    return {
      accessToken: this.#takesIdToken() ? (answer.id_token ?? '') : answer.access_token,
      expiresInMs: answer.expires_in === undefined ? defaultLifeMs : answer.expires_in * 1000,
      email: typeof email === 'string' ? email : null,
    };
  }
}

/** Converts an issuer's error to an ApiError with the issuer's description. */
function explain(error: unknown): unknown {
  const isRefusal =
    error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
  if (!isRefusal) return error;
  const message = error.error_description ?? 'The sign-in provider rejected the sign-in. Try again.';
  return new ApiError({ status: 0, code: error.error, message });
}

function redirectUri(): string {
  return new URL(`${import.meta.env.BASE_URL}sign-in/callback`, window.location.origin).href;
}

/** Reads and removes the started sign-in, so that the issuer's response is accepted only once. */
function takeStarted(): StartedSignIn {
  const stored = sessionStorage.getItem(startedKey);
  sessionStorage.removeItem(startedKey);
  if (stored === null) throw new Error('This sign-in was not started in this tab. Try again.');
  return JSON.parse(stored) as StartedSignIn;
}
